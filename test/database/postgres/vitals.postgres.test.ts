import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import type { Vitals } from '../../../src/database/database.js';
import { HOUR, systemClock } from '../../../src/platform/clock.js';
import { openNodes } from '../../support/postgres/nodes.js';
import { connectTo, type Run } from '../../support/postgres/schema.js';

const nodes = openNodes(1);
const vitals = (): Promise<Partial<Vitals>> => nodes.node(0).database.vitals();

/** A session of its own, with an open transaction that holds a snapshot. */
async function transactionOf(url: string): Promise<{ run: Run; end: () => Promise<void> }> {
  const { run, close } = await connectTo(url);
  onTestFinished(close);
  await run('begin isolation level repeatable read');
  await run('select 1');
  return { run, end: async () => void (await run('rollback')) };
}

const { adminUrl } = inject('postgres');

describe('what endangers a PostgreSQL database', () => {
  let administrator: Awaited<ReturnType<typeof connectTo>>;
  beforeAll(async () => {
    administrator = await connectTo(adminUrl);
  });
  afterAll(() => administrator.close());

  it('is the age of the oldest transaction of its user', async () => {
    const { run } = await transactionOf(nodes.url);
    await run('select pg_sleep(0.3)');
    expect((await vitals()).oldestTransactionSeconds).toBeGreaterThanOrEqual(0.3);
  });

  it('is the age of transactions of others too, where the user may see them', async () => {
    const { run } = await transactionOf(adminUrl);
    await run('select pg_sleep(1.2)');
    const user = new URL(nodes.url).username;
    await administrator.run(`grant pg_read_all_stats to ${user}`);
    onTestFinished(async () => void (await administrator.run(`revoke pg_read_all_stats from ${user}`)));
    expect((await vitals()).oldestTransactionSeconds).toBeGreaterThanOrEqual(1.2);
  });

  it('is the oldest snapshot of anybody, counted in transactions', async () => {
    const { end } = await transactionOf(adminUrl);
    for (let n = 0; n < 20; n += 1) await nodes.admin('select pg_current_xact_id()');
    expect((await vitals()).oldestSnapshotIds).toBeGreaterThanOrEqual(20);
    await end();
  });

  it('is the share of ids that are not frozen, and the connections of all', async () => {
    const { unfrozenIdsRatio, serverConnections } = await vitals();
    const [found] = await administrator.run<{ ids: number; most: number }>(
      `select max(age(datfrozenxid)) as ids, current_setting('max_connections')::int as most from pg_database`,
    );
    expect(unfrozenIdsRatio).toBeCloseTo((found?.ids ?? Number.NaN) / 2 ** 31, 5);
    expect(unfrozenIdsRatio).toBeGreaterThan(0);
    expect(serverConnections?.allowed).toBe((found?.most ?? Number.NaN) - 3);
    expect(serverConnections?.used).toBeGreaterThanOrEqual(2);
    expect(serverConnections?.used).toBeLessThan(found?.most ?? Number.NaN);
  });

  it('is the log that a slot of nobody keeps', async () => {
    const slot = `left_${process.pid}`;
    await administrator.run(`select pg_create_physical_replication_slot('${slot}', true)`);
    onTestFinished(async () => void (await administrator.run(`select pg_drop_replication_slot('${slot}')`)));
    await nodes.admin(`create table grown as select repeat('x', 1000) from generate_series(1, 1000)`);
    onTestFinished(async () => void (await nodes.admin('drop table grown')));
    // The log is written some moments after the commit: this server does not wait for it.
    await expect.poll(async () => (await vitals()).slotRetainedBytes?.[slot]).toBeGreaterThan(1_000_000);
    const { standbyLagBytes, standbyLagSeconds } = await vitals();
    expect([standbyLagBytes, standbyLagSeconds]).toEqual([{}, {}]);
  });

  it('is the share of dead rows in the largest tables', async () => {
    await nodes.admin(
      `create table deleted with (autovacuum_enabled = false) as select n from generate_series(1, 1000) as n`,
    );
    onTestFinished(async () => void (await nodes.admin('drop table deleted')));
    await nodes.admin('delete from deleted where n <= 250');
    const shareIn = async (table: string) => {
      await nodes.admin('select pg_stat_force_next_flush()');
      return (await vitals()).deadRowsRatio?.[table];
    };
    await expect.poll(() => shareIn('deleted')).toBeCloseTo(0.25);
  });

  it('is how far the clock of the node is ahead or behind', async () => {
    expect(Math.abs((await vitals()).clockAheadSeconds ?? Number.NaN)).toBeLessThan(5);
    const now = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() - HOUR));
    onTestFinished(() => now.mockRestore());
    expect((await vitals()).clockAheadSeconds).toBeCloseTo(-3_600, -1);
  });

  it('is read by one query', async () => {
    const { database } = nodes.node(0);
    const statements: string[] = [];
    const unwatch = database.watchStatements((text) => void statements.push(text));
    await vitals();
    unwatch();
    expect(statements).toEqual(['set local role none', expect.stringMatching(/^select/)]);
  });
});
