import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

import { serialOf, type BenchData } from '../data.js';
import { graphql, rest, type Request } from '../requests.js';

const PER_PAGE = 30;
/** Transactions that are recorded by one request. */
export const BATCH = 10;

/** Requests by the name of their operation. */
export type Operations = Readonly<Record<string, () => Request>>;

let drawn = 0;
const unused = (): number => (drawn += 1);

/** Operations measured on both databases; `sizing.ts` names those that it computes with. */
export function operationsOf({ token, others, week, sizes }: BenchData): Operations {
  const get = (path: string) => (): Request => rest(token, 'GET', path);
  const device = (): number => randomInt(sizes.devices);
  let turn = 0;
  const nextToken = (): string => others[(turn += 1) % others.length] ?? '';
  return {
    'list of 30 devices': get('devices'),
    'one device': get(`devices/${Math.ceil(sizes.devices / 2)}`),
    'a week of transactions': get(`transactions?status=success&since=${week.since}&until=${week.until}`),
    'deep page of transactions': get(`transactions?page=${Math.floor(sizes.transactions / PER_PAGE / 2)}`),
    'nested query of 10 groups': () => graphql(token, NESTED),
    'parameters of a terminal': () => graphql(token, PARAMETERS, { number: String(100_000 + device()) }),
    'create of a device': () => createOf(token),
    'status report': () => graphql(token, REPORT, reportOf(device())),
    'record of 10 transactions': () =>
      graphql(token, RECORD, { inputs: Array.from({ length: BATCH }, () => saleOf(device())) }),
    'creates of one company': () => createOf(others[0] ?? ''),
    'creates of ten companies': () => createOf(nextToken()),
  };
}

const createOf = (token: string): Request =>
  rest(token, 'POST', 'devices', { serial_number: `NEW${unused()}` });

const NESTED = `{ groups(first: 10) { totalCount nodes { name
  logicalNumbers(first: 20) { totalCount nodes { number
    appVersions(first: 5) { nodes { number app { name } files(first: 3) { nodes { name crc size } } } } } } } } }`;

const PARAMETERS = `query Parameters($number: String!) {
  logicalNumber(number: $number) { number effectiveParameters { key value } } }`;

const REPORT = `mutation Report($serialNumber: String!, $input: DeviceReportInput!) {
  deviceReport(serialNumber: $serialNumber, input: $input) { device { revision } userErrors { message } } }`;

const RECORD = `mutation Record($inputs: [TransactionInput!]!) {
  transactionBulkRecord(inputs: $inputs) { count userErrors { message } } }`;

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

/** Cost of one request: for each figure, the best round. */
export interface Cost {
  readonly perSecond: number;
  /** Microseconds of processor time of the server, and of PostgreSQL. */
  readonly node: number;
  readonly database: number;
  /** Bytes of write-ahead log of PostgreSQL. */
  readonly log: number;
}

/** Measurements of `bench:postgres -- --save`; the input of `bench:sizing`. */
export interface Costs {
  /** When, on what and beside what it was measured. */
  readonly measured: Readonly<Record<string, string | number>>;
  /** On PostgreSQL, by operation. */
  readonly operations: Readonly<Record<string, Cost>>;
  /** In PostgreSQL with all indexes, for each row. */
  readonly bytes: { readonly transaction: number; readonly ledgerEntry: number; readonly device: number };
}

const FILE = new URL('costs.json', import.meta.url).pathname;

export const saveCosts = (costs: Costs): void => writeFileSync(FILE, `${JSON.stringify(costs, null, 2)}\n`);

export const readCosts = (): Costs => JSON.parse(readFileSync(FILE, 'utf8')) as Costs;
