import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  placeOfPage,
  splitPeriod,
} from '../../../../src/domain/payments/transaction/transaction-period.model.js';
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../../../src/domain/payments/transaction/transaction.model.js';
import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { startServer, type TestServer } from '../../../support/server.js';
import type { Row } from './filters.js';
import { APPS, DAYS, FILTERS, FIRST, listed, recordRows, type Filter } from './listed-rows.js';

let server: TestServer;
let recorded: Row[];
beforeAll(async () => {
  server = await startServer();
  recorded = await recordRows(server);
});
afterAll(async () => {
  await server.stop();
});

/** Ids of the filtered rows, computed without the database. */
function expected({ since, until, ...exact }: Filter): number[] {
  const start = (text: string): number => Date.parse(text);
  const end = (text: string): number =>
    start(text) + (text.length === 10 ? DAY : text.includes('.') ? 1 : 1000);
  return recorded
    .filter((row) => Object.entries(exact).every(([field, value]) => row[field as keyof Row] === value))
    .filter((row) => since === undefined || row.startedAt >= start(since))
    .filter((row) => until === undefined || row.startedAt < end(until))
    .sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)
    .map(({ id }) => id);
}

const list = (filter: Filter, page: number, perPage: number) => listed(server, filter, page, perPage);

const instant = fc
  .integer({ min: -2 * 86_400, max: (DAYS + 2) * 86_400 })
  .map((second) => new Date(FIRST + second * 1000).toISOString());
const bound = instant.chain((at) => fc.constantFrom(at.slice(0, 10), `${at.slice(0, 19)}Z`, at));
const filters = fc.record(
  {
    status: fc.constantFrom(...TRANSACTION_STATUSES),
    transactionType: fc.constantFrom(...TRANSACTION_TYPES),
    appName: fc.constantFrom(...APPS, 'c.rb'),
    serialNumber: fc.constantFrom('S-0', 'S-3', 'S-9'),
    logicalNumber: fc.constantFrom('L-0', 'L-5'),
    since: bound,
    until: bound,
  },
  { requiredKeys: [] },
);

describe('a list of transactions', () => {
  it('has the filtered transactions of the page, newest first', async () => {
    const pages = fc.record({
      page: fc.integer({ min: 1, max: 40 }),
      perPage: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(filters, pages, async (filter, { page, perPage }) => {
        const ids = expected(filter);
        const { since, until } = filter;
        fc.pre(since === undefined || until === undefined || Date.parse(since) <= Date.parse(until));
        const result = await list(filter, page, perPage);
        expect(result.total).toBe(ids.length);
        expect(result.records.map(({ id }) => id)).toEqual(ids.slice((page - 1) * perPage, page * perPage));
      }),
      { numRuns: 500 },
    );
  });

  it('has every record once on its pages', async () => {
    const seen: number[] = [];
    for (let page = 1; page <= 13; page += 1)
      seen.push(...(await list({}, page, 70)).records.map(({ id }) => id));
    expect(seen).toEqual(expected({}));
  });

  it.each(FILTERS)(
    'filtered by %s takes the same number of statements for every page',
    async (what, filter, statements) => {
      for (const page of [1, 3, 8, ...(what === 'no filter' ? [400] : [])]) {
        const run = await server.statements(() => list(filter, page, 2));
        expect(run.result.records).toHaveLength(2);
        expect(run.statements, run.statements.join('\n')).toHaveLength(statements);
      }
    },
  );
});

describe('the day range of a page', () => {
  const day = (number: number, total: number) => ({ from: number * DAY, to: (number + 1) * DAY, total });
  const days = [day(9, 10), day(8, 0), day(7, 5), day(4, 100), day(3, 1)];

  it.each([
    ['the first page within a day', 0, 10, { from: 9, to: 10, skip: 0 }],
    ['a page over several days', 8, 10, { from: 4, to: 10, skip: 8 }],
    ['a page that starts with a day', 10, 5, { from: 7, to: 8, skip: 0 }],
    ['a page deep within a day', 100, 10, { from: 4, to: 5, skip: 85 }],
    ['the last page, not full', 114, 10, { from: 3, to: 5, skip: 99 }],
  ])('for %s skips at most the rows of one day', (_what, offset, limit, { from, to, skip }) => {
    expect(placeOfPage(days, offset, limit)).toEqual({ from: from * DAY, to: to * DAY, skip, limit });
  });

  it('is undefined beyond the last page', () => {
    expect(placeOfPage(days, 116, 10)).toBeUndefined();
    expect(placeOfPage([], 0, 10)).toBeUndefined();
  });
});

describe('a time range split by days, quarters of days and half hours', () => {
  const QUARTER = 6 * HOUR;
  const HALF = 30 * MINUTE;
  it.each([
    ['whole days', 2 * DAY, 4 * DAY, [[1_440, 2 * DAY, 4 * DAY]]],
    [
      'partial days at both ends',
      3 * DAY - QUARTER - HALF - 5,
      4 * DAY + HOUR + 7,
      [
        ['instant', 3 * DAY - QUARTER - HALF - 5, 3 * DAY - QUARTER - HALF],
        [30, 3 * DAY - QUARTER - HALF, 3 * DAY - QUARTER],
        [360, 3 * DAY - QUARTER, 3 * DAY],
        [1_440, 3 * DAY, 4 * DAY],
        [30, 4 * DAY, 4 * DAY + HOUR],
        ['instant', 4 * DAY + HOUR, 4 * DAY + HOUR + 7],
      ],
    ],
    ['within one half hour', 2 * DAY + 5, 2 * DAY + 9, [['instant', 2 * DAY + 5, 2 * DAY + 9]]],
    ['over one full half hour', HALF - 5, HALF + 9, [['instant', HALF - 5, HALF + 9]]],
    [
      'over one midnight',
      3 * DAY - HOUR,
      3 * DAY + HALF + 1,
      [
        [30, 3 * DAY - HOUR, 3 * DAY + HALF],
        ['instant', 3 * DAY + HALF, 3 * DAY + HALF + 1],
      ],
    ],
    ['nothing', 5, 5, []],
  ])('of %s', (_what, from, to, parts) => {
    expect(splitPeriod({ from, to })).toEqual(
      parts.map(([of, first, end]) => ({ of, from: first, to: end })),
    );
  });
});
