/** The work that servers of this kind are compared by, each as one request. */
import type { BenchData } from './data.js';
import type { BenchRequest } from './load.js';
import { SHOWCASE } from './postgres/showcase-query.js';

export const WORKLOADS = {
  W1: 'a list of 30 devices with the exact total',
  W2: 'one device',
  W3: 'transactions of a status and a week, with the exact total',
  W3b: 'a deep page of transactions',
  W4: 'GraphQL: groups, their logical numbers, versions and files',
  W5: 'GraphQL: one device and who created it',
  W6: 'a new device',
} as const;

export type Workload = keyof typeof WORKLOADS;

const DEVICE = 'query One($id: Int!) { device(databaseId: $id) { serialNumber createdBy { email } } }';

let created = 0;

/** The request of each workload, on a database with so many transactions. */
export function requestsOf(
  { token, weekSince, weekUntil }: BenchData,
  transactions: number,
): Readonly<Record<Workload, BenchRequest>> {
  const authorization = `Bearer ${token}`;
  const get = (path: string): BenchRequest => ({ method: 'GET', path, headers: { authorization } });
  const post = (path: string, body: () => object): BenchRequest => ({
    ...{ method: 'POST', path, body: () => JSON.stringify(body()) },
    headers: { authorization, 'content-type': 'application/json' },
  });
  const week = `status=success&since=${weekSince}&until=${weekUntil}`;
  return {
    W1: get('/v1/devices'),
    W2: get('/v1/devices/10000'),
    W3: get(`/v1/transactions?${week}`),
    W3b: get(`/v1/transactions?status=success&page=${Math.floor(transactions / 30 / 3)}`),
    W4: post('/graphql', () => ({ query: SHOWCASE, variables: { groups: 10 } })),
    W5: post('/graphql', () => ({ query: DEVICE, variables: { id: 10_000 } })),
    W6: post('/v1/devices', () => ({ serial_number: `NEW${(created += 1)}` })),
  };
}
