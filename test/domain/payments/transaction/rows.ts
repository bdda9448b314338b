import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../../../src/domain/payments/transaction/transaction.model.js';
import { listTransactions } from '../../../../src/domain/payments/transaction/transaction.service.js';
import { DAY, HOUR } from '../../../../src/platform/clock.js';
import { answered, type Connection } from '../../../support/dashboard.js';
import type { Fields, Member, TestServer } from '../../../support/server.js';
import type { Row } from './filters.js';
import { record, report } from './records.js';

export const FIRST = Date.UTC(2026, 0, 1);
const STATUSES = ['success', 'success', 'success', 'fail', 'running'];
const TYPES = ['company', 'switch', 'get_asset'];

/** Transactions of acme, with ids from 1. */
export const rows: Row[] = Array.from({ length: 400 }, (_, n) => ({
  id: n + 1,
  startedAt: FIRST + ((n * n) % 11) * DAY + (n % 4 === 0 ? 0 : ((n * 7919) % 24) * HOUR),
  status: STATUSES[n % 5] ?? '',
  transactionType: TYPES[n % 3] ?? '',
  appName: n % 2 === 0 ? 'a.rb' : 'b.rb',
  serialNumber: `S-${n % 4}`,
  logicalNumber: `L-${n % 6}`,
}));

export const reported = ({ startedAt, ...row }: Omit<Row, 'id'>) => {
  const started = new Date(startedAt);
  return report({ ...row, startedAt: started, finishedAt: row.status === 'running' ? null : started });
};

/** Records the rows of acme, and the first 50 of them for beta as well. */
export async function recordConnection(server: TestServer): Promise<void> {
  await record(server, server.acme, rows.map(reported));
  await record(server, server.beta, rows.slice(0, 50).map(reported));
}

const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: TransactionFilter,
    $orderBy: TransactionOrder) {
  transactions(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    totalCount nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

export type Part = Connection<{ readonly databaseId: number }>;
export const partOf = async (member: Member, variables: Fields): Promise<Part> =>
  (await answered<{ transactions: Part }>(member, LIST, variables)).transactions;

export const DAYS = 25;
export const APPS = ['a.rb', 'b.rb'];

/** Days with many and with no transactions, many of them with the same time. */
function makeRows(): Omit<Row, 'id'>[] {
  return Array.from({ length: 900 }, (_, n) => {
    const day = Math.floor(((n * n) % 97) / 4);
    const second = n % 3 === 0 ? 0 : (n * 7919) % 86_400;
    return {
      startedAt: FIRST + day * DAY + second * 1000 + (n % 5 === 0 ? 250 : 0),
      status: TRANSACTION_STATUSES[n % 20 === 0 ? 1 : n % 7 === 0 ? 2 : 0],
      transactionType: TRANSACTION_TYPES[n % 3] ?? 'company',
      appName: APPS[n % 2] ?? 'a.rb',
      serialNumber: `S-${n % 4}`,
      logicalNumber: `L-${n % 6}`,
    };
  });
}

/** Records 900 rows of acme and 50 of beta; resolves to those of acme. */
export async function recordRows(server: TestServer): Promise<Row[]> {
  const rows = makeRows();
  const { firstId } = await record(server, server.acme, rows.map(reported));
  const theirs = Array.from({ length: 50 }, () => report());
  await record(server, server.beta, theirs);
  return rows.map((row, n) => ({ ...row, id: (firstId ?? 0) + n }));
}

export type Filter = Partial<Record<'since' | 'until', string>> & Partial<Omit<Row, 'id' | 'startedAt'>>;

/** A page of the transactions of acme. */
export async function listed(server: TestServer, filter: Filter, page: number, perPage: number) {
  const request = { page, perPage };
  const found = await server.app.units.read(server.acme.caller, (work) =>
    listTransactions(work, filter, request),
  );
  if (found === null) throw new Error('A list of so few transactions is no search.');
  return found;
}

/** Filters by what they are of, and the number of statements that a page costs. */
export const FILTERS: [string, Filter, number][] = [
  ['no filter', {}, 2],
  ['the epoch', { since: '1970-01-01' }, 2],
  ['status', { status: 'success' }, 2],
  ['failed ones', { status: 'fail' }, 2],
  ['failed ones of a type', { status: 'fail', transactionType: 'company' }, 4],
  ['failed ones of a week', { status: 'fail', since: '2026-01-03', until: '2026-01-09' }, 2],
  ['failed ones of an app', { status: 'fail', appName: 'a.rb' }, 3],
  ['type', { transactionType: 'company' }, 4],
  ['status and type', { status: 'success', transactionType: 'company' }, 4],
  ['app', { appName: 'a.rb' }, 2],
  ['status, type and app', { status: 'success', transactionType: 'switch', appName: 'b.rb' }, 3],
  ['status and a week', { status: 'success', since: '2026-01-03', until: '2026-01-09' }, 2],
  ['an instant', { since: '2026-01-03T08:00:00Z' }, 2],
  ['two instants', { since: '2026-01-03T08:00:00Z', until: '2026-01-20T09:30:00Z' }, 3],
  ['part of a day', { since: '2026-01-03T01:00:00Z', until: '2026-01-03T23:30:00Z' }, 3],
  ['serial number', { serialNumber: 'S-1' }, 3],
  [
    'serial number, logical number and status',
    { serialNumber: 'S-2', logicalNumber: 'L-2', status: 'success' },
    3,
  ],
  ['logical number and a week', { logicalNumber: 'L-0', since: '2026-01-03', until: '2026-01-09' }, 3],
];
