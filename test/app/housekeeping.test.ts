import { describe, expect, it } from 'vitest';

import { createStorageStats } from '../../src/app/monitoring.js';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.js';
import { parsePeriod } from '../../src/platform/config/parsing.js';
import { STORAGE_UNAVAILABLE } from '../../src/platform/errors.js';
import { insertRows } from '../support/databases/rows.js';
import { fleet, rowsIn } from '../support/fleet.js';
import { insertTransactions } from '../support/retention.js';
import { fileForm, useServerPerTest } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';

const server = useServerPerTest({
  keep: { transactions: parsePeriod('24 months'), ledger: null, deliveries: null, logs: null },
});

const count = (table: string): Promise<number> => rowsIn(server, table);

describe('housekeeping', () => {
  it('deletes the contents of replaced and deleted files once no response can need them', async () => {
    const { client } = server.acme;
    const id = await fleet.file(client, 'logo.png', new Uint8Array(10));
    await client.put(`files/${id}`, fileForm('logo.png', new Uint8Array(20)));
    await server.app.housekeeping.run();
    expect(await count('contents')).toBe(2);
    server.clock.advance(20 * MINUTE);
    await server.app.housekeeping.run();
    expect([await count('contents'), await count('content_chunks')]).toEqual([1, 1]);
    await client.delete(`files/${id}`);
    server.clock.advance(20 * MINUTE);
    await server.app.housekeeping.run();
    expect([await count('contents'), await count('content_chunks')]).toEqual([0, 0]);
  });

  it('breaks off the answer of who takes a file for longer than that, instead of ending it short', async () => {
    const { client, token } = server.acme;
    const id = await fleet.file(client, 'large.bin', Buffer.alloc(12 * 1024 * 1024));
    const slow = await openSlowClient(server.url);
    let text = '';
    slow.socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
    slow.socket.pause();
    const head = ['Host: gateway', `Authorization: Bearer ${token}`, 'Connection: close'];
    await slow.send(`GET /v1/files/${id} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    await expect.poll(() => server.metric('http_waiting_bytes')).toBeGreaterThan(0);
    await client.delete(`files/${id}`);
    server.clock.advance(20 * MINUTE);
    await server.app.housekeeping.run();
    slow.socket.resume();
    await slow.closed();
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  });

  it('logs no unexpected error while the database is not available', async () => {
    const stopFailing = server.app.database.watchStatements(() => {
      throw STORAGE_UNAVAILABLE(new Error('The connection ended.'));
    });
    await expect(server.app.housekeeping.run()).rejects.toMatchObject({ code: 'storage_unavailable' });
    stopFailing();
    expect(server.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
  });

  it('forgets answers to Idempotency-Keys after a day, and none before', async () => {
    const { client } = server.acme;
    await client.post('groups', { name: 'old' }, { headers: { 'idempotency-key': 'old' } });
    server.clock.advance(23 * HOUR);
    await client.post('groups', { name: 'new' }, { headers: { 'idempotency-key': 'new' } });
    await server.app.housekeeping.run();
    expect(await count('idempotency_keys')).toBe(2);
    server.clock.advance(2 * HOUR);
    await server.app.housekeeping.run();
    expect(await count('idempotency_keys')).toBe(1);
  });

  it('does a bounded part of much work at a time', async () => {
    const old = server.clock.now().getTime() - 3 * DAY;
    await insertRows(
      server.place,
      'idempotency_keys',
      Array.from({ length: 10_500 }, (_, n) => ({
        company_id: server.acme.caller.companyId,
        scope: 'test',
        key: `${n}`,
        fingerprint: '',
        status: 201,
        answer: '{}',
        created_at: new Date(old + n),
      })),
    );
    await server.app.housekeeping.run();
    const left = await count('idempotency_keys');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(1_000);
    await server.app.housekeeping.run();
    expect(await count('idempotency_keys')).toBe(0);
  });

  it('runs no work after the server has stopped', async () => {
    const running = server.app.housekeeping.run();
    await server.app.stop();
    await expect(running).resolves.toBeUndefined();
  });
});

async function metric(name: string): Promise<Record<string, number>> {
  const { text } = await server.anonymous.get('/metrics');
  const found = [...text.matchAll(new RegExp(`^${name}(?:\\{\\w+="(\\w+)"\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(found.map(([, label = '', value]) => [label, Number(value)]));
}

it('sizes of tables, the oldest rows and what was deleted are in the metrics', async () => {
  const first = new Date(Math.floor(server.clock.now().getTime() / 1_000) * 1_000 - 800 * DAY);
  const later = new Date(first.getTime() + 700 * DAY);
  const { companyId } = server.acme.caller;
  await insertTransactions(server.place, companyId, 40, { first, stepMs: 1_000 });
  await insertTransactions(server.place, companyId, 3, { first: later, stepMs: 1_000 });
  const bytes = async () => (await metric('database_table_bytes')).transactions ?? 0;
  await expect.poll(bytes).toBeGreaterThan(4_000);
  const oldest = async () => (await metric('retention_oldest_timestamp_seconds')).transactions;
  await expect.poll(oldest).toBe(first.getTime() / 1_000);
  expect(Object.keys(await metric('database_table_rows'))).toContain('transactions');
  await server.app.housekeeping.run();
  server.clock.advance(2 * MINUTE);
  await expect.poll(async () => (await metric('retention_deleted_rows')).transactions).toBe(40);
  expect(await oldest()).toBe(later.getTime() / 1_000);
});

it('a request for the metrics reads none of them again within the interval', async () => {
  let measured = 0;
  let elapsed = 0;
  const clock = { now: () => new Date(), elapsed: () => elapsed };
  const stats = createStorageStats(
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
  expect(stats().sizes).toBeNull();
  await expect.poll(() => stats().sizes?.freeBytes).toBe(1);
  elapsed += 99 * MINUTE;
  stats();
  expect(measured).toBe(1);
  elapsed += 2 * MINUTE;
  await expect.poll(() => stats().sizes?.freeBytes).toBe(2);
});

/** All statements of the server, and those that a test counts. */
async function counted(
  use: () => Promise<unknown>,
): Promise<{ all: readonly string[]; counted: readonly string[] }> {
  await server.app.steps.idle();
  const all: string[] = [];
  const unwatch = server.app.database.watchStatements((sql) => void all.push(sql));
  const { statements } = await server.statements(use);
  unwatch();
  return { all, counted: statements };
}

describe('statements that tests count', () => {
  it('are none that look up the token of a user', async () => {
    // A new token ends what the server remembers of tokens.
    const { client } = await server.member('acme', 'admin');
    await client.get('groups');
    const again = await server.statements(() => client.get('groups'));
    const { client: other } = await server.member('acme', 'admin');
    const first = await counted(() => other.get('groups'));
    expect(first.counted).toEqual(again.statements);
    expect(first.all.length).toBeGreaterThan(first.counted.length);
  });

  it('are none that look for steps left behind', async () => {
    const { all, counted: own } = await counted(async () => {
      server.app.steps.start();
      await server.app.steps.idle();
    });
    expect([all.length > 0, own]).toEqual([true, []]);
  });
});
