import { expect, it } from 'vitest';

import { createStorageFigures } from '../../src/app/figures.js';
import { DAY, MINUTE } from '../../src/platform/clock.js';
import { parsePeriod } from '../../src/platform/config/parsing.js';
import { insertTransactions } from '../support/retention.js';
import { useServerPerTest } from '../support/server.js';

const server = useServerPerTest({
  keep: { transactions: parsePeriod('24 months'), ledger: null, deliveries: null },
});

async function metric(name: string): Promise<Record<string, number>> {
  const { text } = await server.anonymous.get('/metrics');
  const found = [...text.matchAll(new RegExp(`^${name}(?:\\{\\w+="(\\w+)"\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(found.map(([, label = '', value]) => [label, Number(value)]));
}

it('sizes of tables, the oldest rows and what was deleted are in the metrics', async () => {
  const first = new Date(Math.floor(server.clock.now().getTime() / 1_000) * 1_000 - 800 * DAY);
  await insertTransactions(server.place, server.acme.caller.companyId, 40, { first, stepMs: 1_000 });
  await insertTransactions(server.place, server.acme.caller.companyId, 3, {
    first: new Date(first.getTime() + 700 * DAY),
    stepMs: 1_000,
  });
  await expect
    .poll(async () => (await metric('database_table_bytes')).transactions ?? 0)
    .toBeGreaterThan(4_000);
  await expect
    .poll(async () => (await metric('retention_oldest_timestamp_seconds')).transactions)
    .toBe(first.getTime() / 1_000);
  expect(Object.keys(await metric('database_table_rows'))).toContain('transactions');
  await server.app.housekeeping.run();
  server.clock.advance(2 * MINUTE);
  await expect.poll(async () => (await metric('retention_deleted_rows')).transactions).toBe(40);
  expect((await metric('retention_oldest_timestamp_seconds')).transactions).toBe(
    first.getTime() / 1_000 + 700 * 24 * 3_600,
  );
});

it('a request for the metrics reads none of them again within the interval', async () => {
  let measured = 0;
  let elapsed = 0;
  const clock = { now: () => new Date(), elapsed: () => elapsed };
  const figures = createStorageFigures(
    {
      snapshot: (scope, use) => server.app.database.snapshot(scope, use),
      sizes: () => {
        measured += 1;
        // As if it had taken a minute.
        elapsed += MINUTE;
        return Promise.resolve({ tables: {}, freeBytes: measured });
      },
    },
    clock,
  );
  expect(figures().sizes).toBeNull();
  await expect.poll(() => figures().sizes?.freeBytes).toBe(1);
  elapsed += 99 * MINUTE;
  figures();
  expect(measured).toBe(1);
  elapsed += 2 * MINUTE;
  await expect.poll(() => figures().sizes?.freeBytes).toBe(2);
});
