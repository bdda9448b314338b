import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId } from '../../../support/dashboard.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { transactionFilters, meets, type Row } from './filters.js';
import { payment, record, report } from './records.js';
import { FIRST, partOf, recordConnection, reported, rows, type Part } from './rows.js';

const server = useServer();
let acme: Member;
beforeAll(async () => {
  acme = server.acme;
  await recordConnection(server);
});

const part = async (variables: Fields): Promise<Part> => await partOf(acme, variables);
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
      { numRuns: 40 },
    );
  });

  it('is empty for an interval that ends before it begins, and for ids of other types', async () => {
    const turned = { startedAt: { gte: '2026-01-05T00:00:00Z', lt: '2026-01-04T00:00:00Z' } };
    for (const filter of [turned, { id: { eq: nodeId('Device', 1) } }, { serialNumber: { eq: 'S-9' } }]) {
      expect(await part({ filter })).toMatchObject({ totalCount: 0, nodes: [] });
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
      const [text = ''] = statements.filter((sql) => sql.includes('order by "t"."started_at"'));
      return [
        text.match(/"started_at" >= (?:\(select )?[?$]/g)?.length ?? 0,
        text.match(/"started_at" < (?:\(select )?[?$]/g)?.length ?? 0,
      ];
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

describe('payments', () => {
  const AMOUNTS = [0, 250, 250, 1_000, 999_999_999_999];
  let member: Member;
  beforeAll(async () => {
    member = server.beta;
    await server.place.sql('delete from transactions where company_id = $1', [member.caller.companyId]);
    const paid = AMOUNTS.map((amount, n) => ({
      ...payment({
        amount,
        nsu: `nsu ${n}`,
        authorizationCode: n === 0 ? '' : `code ${n % 2}`,
        card: n === 4 ? null : { lastDigits: `111${n % 2}` },
      }),
      reference: `ref ${n}`,
      logicalNumber: `L-${n}`,
    }));
    await record(server, member, [report({ logicalNumber: 'none' }), ...paid]);
  });

  it.each<[Fields, readonly number[]]>([
    [{ nsu: { eq: 'nsu 3' } }, [3]],
    [{ nsu: { startsWith: 'nsu' } }, [0, 1, 2, 3, 4]],
    [{ authorizationCode: { eq: 'code 1' } }, [1, 3]],
    [{ authorizationCode: { isNull: true } }, [-1, 0]],
    [{ lastDigits: { eq: '1111' } }, [1, 3]],
    [{ lastDigits: { isNull: true } }, [-1, 4]],
    [{ reference: { in: ['ref 1', 'ref 2'] } }, [1, 2]],
    [{ amount: { eq: 250 } }, [1, 2]],
    [{ amount: { in: [-1, 0, 999_999_999_999] } }, [0, 4]],
    [{ amount: { gte: 250, lt: 1_000 } }, [1, 2]],
    [{ amount: { lt: 1 } }, [0]],
    [{ amount: { eq: -1 } }, []],
    [{ amount: { gte: -5 } }, [0, 1, 2, 3, 4]],
    [{ amount: { isNull: true } }, [-1]],
    [{ not: { amount: { lt: 1_000 } } }, [-1, 3, 4]],
    [{ paymentStatus: { isNull: true } }, [-1]],
    [{ not: { paymentStatus: { eq: 'APPROVED' } } }, [-1]],
  ])('are found by %j, in lists and in summaries', async (filter, found) => {
    const first = (await partOf(member, { orderBy: { field: 'ID' }, first: 1 })).nodes[0]?.databaseId ?? 0;
    const page = await partOf(member, { filter, orderBy: { field: 'ID' } });
    expect(idsIn(page)).toEqual(found.map((n) => first + 1 + n));
    expect(page.totalCount).toBe(found.length);
    const query = `query ($filter: TransactionFilter) { transactionSummary(filter: $filter) { count amountTotal } }`;
    const sum = found.reduce((total, n) => total + (AMOUNTS[n] ?? 0), 0);
    expect(await answered(member, query, { filter })).toEqual({
      transactionSummary: found.length === 0 ? [] : [{ count: found.length, amountTotal: sum }],
    });
  });

  it.each(['ASC', 'DESC'])(
    'are in the order of their amounts, those of none first: %s',
    async (direction) => {
      const ids: number[] = [];
      for (let after: string | null = null, more = true; more;) {
        const page: Part = await partOf(member, { orderBy: { field: 'AMOUNT', direction }, first: 2, after });
        ids.push(...idsIn(page));
        [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
      }
      const ascending = ids.toSorted((one, other) => one - other);
      expect(ids).toEqual(direction === 'ASC' ? ascending : ascending.toReversed());
      expect(ids).toHaveLength(AMOUNTS.length + 1);
    },
  );
});
