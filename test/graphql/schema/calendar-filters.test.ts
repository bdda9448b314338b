import { beforeAll, describe, expect, it } from 'vitest';

import { calendarRange, CALENDAR_INTERVALS } from '../../../src/platform/buckets.js';
import { HOUR } from '../../../src/platform/clock.js';
import { answered, refused } from '../../support/dashboard.js';
import { exported } from '../../support/export.js';
import { fleet, recordAll } from '../../support/fleet.js';
import { expectRefused, mutated } from '../../support/mutations.js';
import { useServer } from '../../support/server.js';

const ZONE = 'America/Sao_Paulo';
const LIST = `query ($filter: TransactionFilter) {
  transactions(first: 100, filter: $filter) { totalCount nodes { startedAt } }
  transactionSummary(bucket: NONE, by: [], filter: $filter) { count }
}`;

const server = useServer();
const begin = Date.now();
/** Times of transactions: each half day of 70 days until now. */
const TIMES = Array.from({ length: 140 }, (_, index) => begin - index * 12 * HOUR);
beforeAll(async () => {
  const { app, acme } = server;
  await fleet.device(acme.client, 'S-1');
  await app.units.write(acme.caller, (work) =>
    recordAll(
      work,
      TIMES.map((at) => ({
        transactionType: 'switch',
        serialNumber: 'S-1',
        logicalNumber: 'number of S-1',
        appName: 'pay.posxml',
        status: 'success',
        startedAt: new Date(at),
        finishedAt: new Date(at),
      })),
    ),
  );
});

describe('a time during days of the calendar', () => {
  it.each(CALENDAR_INTERVALS)('%s selects the same transactions as its two ends', async (name) => {
    const { from, to } = calendarRange(name, ZONE, Date.now());
    const expected = TIMES.filter((at) => at >= from && at < to).length;
    const during = { interval: name.toUpperCase(), timeZone: ZONE };
    const filter = { startedAt: { during } };
    const { transactions, transactionSummary } = await answered<{
      readonly transactions: {
        readonly totalCount: number;
        readonly nodes: readonly { startedAt: string }[];
      };
      readonly transactionSummary: readonly { readonly count: number }[];
    }>(server.acme, LIST, { filter });
    expect(transactions.totalCount).toBe(expected);
    expect(transactions.nodes.every(({ startedAt }) => Date.parse(startedAt) >= from)).toBe(true);
    expect(transactionSummary.map(({ count }) => count)).toEqual(expected === 0 ? [] : [expected]);
  });

  it('stays relative in a saved filter, which selects by the days of its use', async () => {
    const filter = { createdAt: { during: { interval: 'TODAY', timeZone: ZONE } } };
    const input = { name: 'made today', kind: 'DEVICE', filter };
    const { savedFilter } = await mutated<{ readonly savedFilter: { id: string; filter: unknown } }>(
      server.acme,
      'savedFilterCreate',
      { input },
      'savedFilter { id filter }',
    );
    expect(savedFilter.filter).toEqual(filter);
    const target = { savedFilterId: savedFilter.id };
    const change = { enabled: false };
    const count = async (): Promise<unknown> => {
      const variables = { target, change, dryRun: true };
      return (await mutated(server.acme, 'deviceBulkChange', variables, 'count')).count;
    };
    expect(await count()).toBe(1);
    await server.place.sql('update devices set created_at = (select min(started_at) from transactions)');
    expect(await count()).toBe(0);
  });

  it('selects the records of an export', async () => {
    const filter = JSON.stringify({ startedAt: { during: { interval: 'LAST_7_DAYS', timeZone: ZONE } } });
    const { from, to } = calendarRange('last_7_days', ZONE, Date.now());
    const rows = await exported(server.acme, 'transactions', { format: 'ndjson', filter });
    expect(rows.records).toHaveLength(TIMES.filter((at) => at >= from && at < to).length);
  });

  it.each([
    [
      'an unknown zone',
      { interval: 'TODAY', timeZone: 'Brasilia' },
      /^timeZone: "Brasilia" is not an IANA time zone/,
    ],
    ['an unknown interval', { interval: 'TOMORROW' }, /TOMORROW/],
    ['no interval', {}, /interval/],
  ])('%s is refused', async (_what, during, message) => {
    const { message: said } = await refused(server.acme, LIST, { filter: { startedAt: { during } } });
    expect(said).toMatch(message);
    const input = { name: 'broken', kind: 'DEVICE', filter: { lastSeenAt: { during } } };
    await expectRefused(server.acme, 'savedFilterCreate', { input }, 'INVALID input.filter');
  });
});
