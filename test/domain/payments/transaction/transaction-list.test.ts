import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../../../src/domain/payments/transaction/transaction.model.js';
import { DAY } from '../../../../src/platform/clock.js';
import { useServer } from '../../../support/server.js';
import type { Row } from './filters.js';
import { APPS, DAYS, FILTERS, FIRST, listed, recordRows, type Filter } from './rows.js';

const server = useServer();
let recorded: Row[];
beforeAll(async () => {
  recorded = await recordRows(server);
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
      { numRuns: 200 },
    );
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
