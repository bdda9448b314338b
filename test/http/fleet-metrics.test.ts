import { utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { createFleetStats } from '../../src/app/monitoring.js';
import { Followers } from '../../src/http/monitoring/operations.js';
import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { record, report } from '../domain/payments/transaction/records.js';
import { fleet } from '../support/fleet.js';
import { useServerPerTest } from '../support/server.js';
import { recordMany, stall } from '../support/stalled-client.js';
import { subscribe } from '../support/subscribe.js';

const INTERVAL_MS = 15 * SECOND;

const server = useServerPerTest();

async function recordsBy(): Promise<Record<string, number>> {
  const { text } = await server.anonymous.get('/metrics');
  const found = text.matchAll(/^records\{kind="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, kind = '', total]) => [kind, Number(total)]));
}

describe('stats of the fleet', () => {
  it('say in their help that each node gives the same number', async () => {
    const { text } = await server.anonymous.get('/metrics');
    for (const name of ['records', 'deliveries_queued', 'database_table_rows', 'retention_deleted_rows'])
      expect(text).toMatch(new RegExp(`^# HELP ${name} .*Each node gives the same number`, 'm'));
  });

  it('are the numbers of records of all companies, read at most every 15 seconds', async () => {
    const none = { devices: 0, logical_numbers: 0, groups: 0, apps: 0, files: 0, transactions: 0 };
    // A request waits for 200 ms: on a busy machine, the first one may come before they are read.
    await expect.poll(recordsBy).toEqual(none);
    const { client } = server.acme;
    await fleet.group(client, 'one');
    await fleet.group(client, 'two');
    await fleet.group(server.beta.client, 'one');
    await fleet.logicalNumber(client, '100');
    await fleet.device(client, 's-1');
    await record(server, server.acme, [report()]);
    const again = await server.statements(recordsBy);
    expect([again.result, again.statements.filter((text) => text.includes('counters'))]).toEqual([none, []]);
    server.clock.advance(INTERVAL_MS);
    const later = await server.statements(recordsBy);
    expect(later.result).toEqual({ ...none, groups: 3, logical_numbers: 1, devices: 1, transactions: 1 });
    expect(later.statements.filter((text) => text.includes('counters'))).toHaveLength(1);
    await client.delete('groups/two');
    server.clock.advance(INTERVAL_MS);
    expect(await recordsBy()).toMatchObject({ groups: 2 });
  });

  it('count the deliveries that wait, whatever becomes of them', async () => {
    const { client } = server.acme;
    const set = (columns: string) => server.place.sql(`update notification_deliveries set ${columns}`);
    // A busy machine may need longer than a request for the metrics waits.
    const queued = async (): Promise<number> => {
      await server.app.steps.idle();
      server.clock.advance(INTERVAL_MS);
      return await server.metric('deliveries_queued');
    };
    await expect.poll(queued).toBe(0);
    const group = await fleet.group(client, 'shops');
    for (const number of ['1', '2', '3']) await fleet.logicalNumber(client, number, { group_id: group });
    await client.post('notifications', { content: 'x', range: 'group', group_id: group });
    await expect.poll(queued).toBe(3);
    await set(`state = 'delivered' where id = 1`);
    await expect.poll(queued).toBe(2);
    await set(`state = 'queued' where id = 1`);
    await server.place.sql('update notification_deliveries set queued_at = $1', [new Date(0)]);
    await expect.poll(queued).toBe(3);
    await client.delete('logical_numbers/2');
    await expect.poll(queued).toBe(2);
    await set(`state = 'failed'`);
    await server.place.sql('delete from notifications');
    await expect.poll(queued).toBe(0);
  });

  it('hold up no request: one that takes long gets the stats before, and a failure none', async () => {
    const { database } = server.app;
    const held = Promise.withResolvers<undefined>();
    let isBroken = false;
    const slow: Parameters<typeof createFleetStats>[0] = {
      snapshot: async (isSystem, use) => {
        await held.promise;
        if (isBroken) throw new Error('broken');
        return await database.snapshot(isSystem, use);
      },
    };
    const stats = createFleetStats(slow, server.clock);
    // The snapshot is held until after it.
    expect(await stats()).toBeNull();
    held.resolve(undefined);
    await expect.poll(stats).toMatchObject({ records: { groups: 0 }, queuedDeliveries: 0 });
    isBroken = true;
    server.clock.advance(INTERVAL_MS);
    expect(await stats()).toBeNull();
  });

  it('are sums over many companies, read in parts', async () => {
    const rows = Array.from({ length: 4_500 }, (_, n) => `(${100_000 + n}, 'groups', 2)`).join();
    await server.place.sql(`insert into counters (company_id, name, total) values ${rows}`);
    // A busy machine may take longer than a request for the metrics waits.
    const { statements } = await server.statements(() =>
      expect.poll(recordsBy).toMatchObject({ groups: 9_000, devices: 0 }),
    );
    expect(statements.filter((text) => text.includes('from counters'))).toHaveLength(3);
  });
});

describe('the delay of live subscriptions', () => {
  it('is 0 where nothing waits, and the age of the oldest change that a subscriber has not been given', async () => {
    const delay = () => server.metric('ledger_event_delay_seconds');
    expect(await delay()).toBe(0);
    await recordMany(server, server.acme);
    const { clients } = await stall(server, server.acme.token);
    const first = await delay();
    await expect.poll(delay).toBeGreaterThanOrEqual(first + 0.25);
    for (const client of clients) client.resume();
    await expect.poll(delay).toBe(0);
    for (const client of clients) client.end();
  });

  it('is 0 once subscribers have what was committed, and after they have left', async () => {
    const { until, stop } = subscribe(server, server.acme, 'subscription { ledgerAppended { sequence } }');
    const open = 'graphql_streams_open{transport="websocket"}';
    await expect.poll(() => server.metric(open)).toBe(1);
    await fleet.group(server.acme.client, 'g');
    await until(1);
    await expect.poll(() => server.metric('ledger_event_delay_seconds')).toBe(0);
    stop();
    await expect.poll(() => server.metric(open)).toBe(0);
    await record(server, server.acme, [report()]);
    expect(await server.metric('ledger_event_delay_seconds')).toBe(0);
  });

  it('is that of the subscriber that is most behind', () => {
    const followers = new Followers({ elapsed: () => 10_000 });
    followers.follow(() => null);
    const leave = followers.follow(() => 7_000);
    followers.follow(() => 9_500);
    expect(followers.delaySeconds()).toBe(3);
    leave();
    expect(followers.delaySeconds()).toBe(0.5);
  });
});

describe('the age of the last backup', () => {
  it('is absent before the first one, and the time since the last one', async () => {
    expect((await server.anonymous.get('/metrics')).text).not.toMatch(/^database_backup_age_seconds /m);
    const noted = server.app.database.lastBackupPath;
    writeFileSync(noted, '');
    const anHourAgo = new Date(Date.now() - 60 * MINUTE);
    utimesSync(noted, anHourAgo, anHourAgo);
    const age = await server.metric('database_backup_age_seconds');
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(age).toBeLessThan(3_660);
  });
});
