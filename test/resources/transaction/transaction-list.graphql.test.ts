import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY, HOUR } from '../../../src/platform/clock.js';
import type { Fields } from '../../support/client.js';
import { answered, nodeId } from '../../support/dashboard.js';
import { planOf } from '../../support/query-plan.js';
import { startServer, type Member, type TestServer } from '../../support/server.js';
import { transactionFilters, meets, type Row } from './filters.js';
import { record, report } from './records.js';

const FIRST = Date.UTC(2026, 0, 1);
const STATUSES = ['success', 'success', 'success', 'fail', 'running'];
const TYPES = ['company', 'switch', 'get_asset'];

const rows: Row[] = Array.from({ length: 400 }, (_, n) => ({
  id: n + 1,
  startedAt: FIRST + ((n * n) % 11) * DAY + (n % 4 === 0 ? 0 : ((n * 7919) % 24) * HOUR),
  status: STATUSES[n % 5] ?? '',
  transactionType: TYPES[n % 3] ?? '',
  appName: n % 2 === 0 ? 'a.rb' : 'b.rb',
  serialNumber: `S-${n % 4}`,
  logicalNumber: `L-${n % 6}`,
}));

const ALL = rows.slice(0, 100).map(({ id }) => nodeId('Transaction', id));

const reported = ({ startedAt, ...row }: Omit<Row, 'id'>) => {
  const started = new Date(startedAt);
  return report({ ...row, startedAt: started, finishedAt: row.status === 'running' ? null : started });
};

let server: TestServer;
let acme: Member;
beforeAll(async () => {
  server = await startServer();
  acme = server.acme;
  await record(server, acme, rows.map(reported));
  await record(server, server.beta, rows.slice(0, 50).map(reported));
});
afterAll(async () => {
  await server.stop();
});

const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: TransactionFilter,
    $orderBy: TransactionOrder) {
  transactions(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    totalCount nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

interface Part {
  readonly totalCount: number;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>;
}
const part = async (variables: Fields): Promise<Part> =>
  (await answered<{ transactions: Part }>(acme, LIST, variables)).transactions;
const idsIn = ({ nodes }: Part): number[] => nodes.map(({ databaseId }) => databaseId);

const ORDERS: readonly (readonly [Fields | undefined, (a: Row, b: Row) => number])[] = [
  [undefined, (a, b) => b.startedAt - a.startedAt || b.id - a.id],
  [{ field: 'STARTED_AT' }, (a, b) => a.startedAt - b.startedAt || a.id - b.id],
  [{ field: 'STARTED_AT', direction: 'DESC' }, (a, b) => b.startedAt - a.startedAt || b.id - a.id],
  [{ field: 'ID' }, (a, b) => a.id - b.id],
  [{ field: 'ID', direction: 'DESC' }, (a, b) => b.id - a.id],
];

describe('the list of transactions', () => {
  it('contains and counts what the filter selects, forward and backward', async () => {
    await fc.assert(
      fc.asyncProperty(
        transactionFilters(FIRST, 12),
        fc.constantFrom(...ORDERS),
        fc.integer({ min: 7, max: 100 }),
        async (filter, [orderBy, compare], size) => {
          const expected = rows.filter((row) => meets(row, filter)).sort(compare);
          const ids = expected.map(({ id }) => id);
          const forward: number[] = [];
          for (let after: string | null = null, more = true; more;) {
            const page: Part = await part({ filter, orderBy, first: size, after });
            expect(page.totalCount).toBe(ids.length);
            forward.push(...idsIn(page));
            [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
          }
          expect(forward).toEqual(ids);
          const end = await part({ filter, orderBy, last: size });
          expect(idsIn(end)).toEqual(ids.slice(-size));
          if (!end.pageInfo.hasPreviousPage) return;
          const before = await part({ filter, orderBy, last: size, before: end.pageInfo.startCursor });
          expect(idsIn(before)).toEqual(ids.slice(-2 * size, -size));
        },
      ),
      { numRuns: 120 },
    );
  });

  it('is empty for an interval that ends before it begins, and for ids of other types', async () => {
    const turned = { startedAt: { gte: '2026-01-05T00:00:00Z', lt: '2026-01-04T00:00:00Z' } };
    for (const filter of [turned, { id: { eq: nodeId('Device', 1) } }, { serialNumber: { eq: 'S-9' } }]) {
      expect(await part({ filter })).toMatchObject({ totalCount: 0, nodes: [] });
    }
  });

  const serial = { serialNumber: { eq: 'S-1' } };
  const logical = { logicalNumber: { eq: 'L-1' } };
  it.each<[string, Fields, string, string[]]>([
    ['nothing', {}, 'STARTED_AT', ['newest']],
    ['type', { transactionType: { eq: 'SWITCH' } }, 'STARTED_AT', ['newest']],
    ['status', { status: { eq: 'RUNNING' } }, 'STARTED_AT', ['status']],
    ['one of two', { status: { in: ['RUNNING', 'FAIL'] } }, 'STARTED_AT', ['newest']],
    ['app', { appName: { eq: 'a.rb' } }, 'STARTED_AT', ['app']],
    ['app and status', { appName: { eq: 'a.rb' }, status: { eq: 'FAIL' } }, 'STARTED_AT', ['app']],
    ['serial number', serial, 'STARTED_AT', ['serial']],
    ['serial numbers', { serialNumber: { in: ['S-1', 'S-2'] } }, 'STARTED_AT', ['serial']],
    ['logical number', logical, 'STARTED_AT', ['logical_number']],
    ['two kinds of numbers', { or: [serial, logical] }, 'STARTED_AT', ['serial', 'logical_number']],
    ['id', { id: { in: ALL } }, 'STARTED_AT', ['its key']],
    ['nothing', {}, 'ID', ['its key']],
    ['serial number', serial, 'ID', ['serial']],
    ['two kinds of numbers', { or: [serial, logical] }, 'ID', ['serial', 'logical_number']],
    ['status', { status: { eq: 'RUNNING' } }, 'ID', ['its key']],
  ])('LS-04 looks rows of one %s up in an index (%j, by %s)', async (_what, filter, field, indexes) => {
    const database = new Sqlite(server.file);
    try {
      const orderBy = { field, direction: 'DESC' };
      const first = await part({ filter, orderBy, first: 1 });
      for (const after of [null, first.pageInfo.endCursor]) {
        const { statements } = await server.statements(() => part({ filter, orderBy, first: 1, after }));
        const [statement = ''] = statements.filter((sql) => sql.includes('select t.*'));
        const steps = planOf(database, statement).filter((step) => step.includes(' t '));
        const used = steps.map(
          (step) => /INDEX transactions_(\w+) \(company_id=\?/.exec(step)?.[1] ?? 'its key',
        );
        expect(used, steps.join('\n')).toEqual(indexes);
        expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
      }
    } finally {
      database.close();
    }
  });

  it('applies its filter after a cursor of a list with another filter', async () => {
    for (const direction of ['ASC', 'DESC']) {
      const orderBy = { field: 'STARTED_AT', direction };
      const after = (await part({ orderBy, first: 10 })).pageInfo.endCursor;
      const filter = { startedAt: { gte: '2026-01-05T00:00:00Z', lt: '2026-01-06T00:00:00Z' } };
      const within = await part({ orderBy, filter, first: 100 });
      expect(within.nodes.length).toBeGreaterThan(10);
      expect((await part({ orderBy, filter, first: 100, after })).nodes).toEqual(within.nodes);
    }
  });

  it('starts at the cursor, not at the end of the interval', async () => {
    const filter = { startedAt: { gte: '2026-01-02T00:00:00Z', lt: '2026-01-09T00:00:00Z' } };
    const first = await part({ filter, first: 5 });
    const bounds = async (variables: Fields): Promise<[number, number]> => {
      const { statements } = await server.statements(() => part({ filter, first: 5, ...variables }));
      const [text = ''] = statements.filter((sql) => sql.includes('select t.*'));
      return [text.split('"started_at" >= ?').length - 1, text.split('"started_at" < ?').length - 1];
    };
    expect(await bounds({})).toEqual([1, 1]);
    expect(await bounds({ after: first.pageInfo.endCursor })).toEqual([1, 0]);
    const oldest = { orderBy: { field: 'STARTED_AT' } };
    const after = (await part({ filter, first: 5, ...oldest })).pageInfo.endCursor;
    expect(await bounds({ ...oldest, after })).toEqual([0, 1]);
  });

  it('CC-07 shows each existing record exactly once while others are added', async () => {
    for (const orderBy of [undefined, { field: 'STARTED_AT' }, { field: 'ID' }]) {
      const seen: number[] = [];
      for (let after: string | null = null, more = true; more;) {
        const page: Part = await part({ orderBy, first: 17, after });
        seen.push(...idsIn(page));
        [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
        // Newer ones, older ones, and some at the very instants that the walk stands at.
        await record(
          server,
          acme,
          rows
            .filter(({ id }) => id % 40 === seen.length % 40)
            .map(({ id, ...row }) => ({ ...reported(row), detail: `while walking ${id}` })),
        );
        if (seen.length > 5_000) throw new Error('The walk has no end');
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(rows.filter(({ id }) => !seen.includes(id))).toEqual([]);
    }
  });
});
