import { randomInt } from 'node:crypto';

import type { BenchRequest } from '../load.js';
import type { Scenario } from '../measure.js';
import type { Filled } from './places.js';
import { SHOWCASE } from './showcase-query.js';

const PER_PAGE = 30;
/** Transactions that are recorded by one request. */
export const BATCH = 10;

let drawn = 0;
const unused = (): number => (drawn += 1);

/** Operations measured on both databases. `Costs` has the names of those that `sizing.ts` uses. */
export function operationsOf({ token, weekSince, weekUntil, sizes }: Filled): readonly Scenario[] {
  const rest = (path: string, query = ''): BenchRequest => ({
    method: 'GET',
    path: `/v1/${path}?access_token=${token}${query}`,
  });
  const week = `&status=success&since=${weekSince}&until=${weekUntil}`;
  const middlePage = Math.floor(sizes.transactions / PER_PAGE / 2);
  const device = (): number => randomInt(sizes.devices);
  return [
    { name: 'list of 30 devices', request: rest('devices') },
    { name: 'one device', request: rest('devices/10000') },
    { name: 'a week of transactions', request: rest('transactions', week) },
    { name: 'deep page of transactions', request: rest('transactions', `&page=${middlePage}`) },
    { name: 'nested query of 10 groups', request: graphql(token, SHOWCASE, () => ({ groups: 10 })) },
    {
      name: 'parameters of a terminal',
      request: graphql(token, PARAMETERS, () => ({ number: String(100_000 + device()) })),
    },
    { name: 'create of a device', request: createOf(() => token) },
    { name: 'status report', request: graphql(token, REPORT, () => reportOf(device())) },
    {
      name: 'record of 10 transactions',
      request: graphql(token, RECORD, () => ({
        inputs: Array.from({ length: BATCH }, () => saleOf(device())),
      })),
    },
  ];
}

/** Creates devices; each request takes the next token. */
export function createOf(tokenOf: () => string): BenchRequest {
  return {
    method: 'POST',
    get path() {
      return `/v1/devices?access_token=${tokenOf()}`;
    },
    body: () => JSON.stringify({ serial_number: `NEW${unused()}` }),
  };
}

export const nestedQuery = (token: string): BenchRequest => graphql(token, SHOWCASE, () => ({ groups: 10 }));

function graphql(token: string, query: string, variables: () => object): BenchRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: () => JSON.stringify({ query, variables: variables() }),
  };
}

const PARAMETERS = `query Parameters($number: String!) {
  logicalNumber(number: $number) { number effectiveParameters { key value } } }`;

const REPORT = `mutation Report($serialNumber: String!, $input: DeviceReportInput!) {
  deviceReport(serialNumber: $serialNumber, input: $input) { device { revision } userErrors { message } } }`;

const RECORD = `mutation Record($inputs: [TransactionInput!]!) {
  transactionBulkRecord(inputs: $inputs) { count userErrors { message } } }`;

const serialOf = (n: number): string => `IM5${String(n).padStart(8, '0')}`;

const reportOf = (n: number): object => ({
  serialNumber: serialOf(n),
  input: {
    frameworkVersion: '8.31.2',
    meta: { brand: 'Ingenico', model: 'Move5000', ssl: '1', battery_level: String(unused()) },
  },
});

function saleOf(n: number): object {
  const reference = unused();
  const now = Date.now();
  return {
    reference: `R-${reference}`,
    transactionType: 'SWITCH',
    serialNumber: serialOf(n),
    logicalNumber: String(100_000 + n),
    appName: `app${n % 12}.rb`,
    frameworkVersion: '8.31.2',
    status: 'SUCCESS',
    sent: `0200 nsu=${reference}`,
    received: `0210 nsu=${reference} response=00`,
    startedAt: new Date(now - 2_000).toISOString(),
    finishedAt: new Date(now - 1_000).toISOString(),
    parsed: {
      acquirer: 'bench',
      type: 'sale',
      status: 'APPROVED',
      amount: 100 + (reference % 90_000),
      paymentMethod: 'credit',
      nsu: String(reference),
      authorizationCode: '998877',
      card: { brand: 'visa', expirationDate: '0131', firstDigits: '411111', lastDigits: '1111' },
      merchant: { id: '77', document: '11222333000181', name: 'Bench' },
    },
  };
}
