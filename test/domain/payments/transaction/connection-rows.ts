import { DAY, HOUR } from '../../../../src/platform/clock.js';
import { answered } from '../../../support/dashboard.js';
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

export interface Part {
  readonly totalCount: number;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>;
}
export const partOf = async (member: Member, variables: Fields): Promise<Part> =>
  (await answered<{ transactions: Part }>(member, LIST, variables)).transactions;
