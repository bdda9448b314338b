import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { killPrograms } from '../../support/program.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, startGateway, startLoad, timed, unexpected } from './gateway.js';

const MEGABYTE = 1024 * 1024;

let server: FaultyPostgres;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres({ settings: { ...FAST, max_connections: '40' } });
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.remove());

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** A connection of somebody else, until `end`. */
async function connection(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

describe('CF-20 a PostgreSQL that does not answer', () => {
  it('503 within 10 s while all of its processes are stopped, and goes on afterwards', async () => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    // Of one network, 250 requests may be in progress.
    const load = startLoad(client, 40);
    await sleep(1_000);
    const before = residentBytes(program.pid);
    server.signal('SIGSTOP');
    const stoppedAt = performance.now();
    await sleep(15_000);
    const grown = residentBytes(program.pid) - before;
    expect((await timed(client, 'GET', '/healthz')).took).toBeLessThan(1_000);
    server.signal('SIGCONT');
    const took = await recovered(client);
    const answers = await load.stop();
    expect(unexpected(answers)).toEqual([]);
    const meanwhile = answers.filter(({ at }) => at > stoppedAt + 100 && at < stoppedAt + 14_000);
    expect(meanwhile.length).toBeGreaterThan(400);
    expect(meanwhile.filter(({ status, took: ms }) => status !== 503 && ms < 1_000)).toEqual([]);
    expect(took).toBeLessThan(10_000);
    expect(grown).toBeLessThan(150 * MEGABYTE);
    expect(program.output()).not.toContain('unexpected error');
  });

  it('503 while others use up its connections, and goes on afterwards', async () => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    // The connections of the program end, and those of others take their places.
    const others: pg.Client[] = [];
    const load = startLoad(client);
    await server.admin(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway_owner'",
    );
    for (let n = 0; n < 45; n += 1) {
      await connection(server.url).then(
        (other) => others.push(other),
        () => undefined,
      );
    }
    await sleep(4_000);
    expect(others.length).toBeGreaterThan(10);
    await Promise.all(others.map((other) => other.end()));
    const took = await recovered(client);
    const answers = await load.stop();
    expect(unexpected(answers)).toEqual([]);
    expect(took).toBeLessThan(10_000);
    expect(program.output()).not.toContain('unexpected error');
  });

  it('503 for requests on a table that somebody has locked; others are served', async () => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    const other = await connection(server.adminUrl);
    await other.query('begin; lock table devices in access exclusive mode');
    const locked = await Promise.all([
      ...Array.from({ length: 5 }, () => timed(client, 'GET', 'devices')),
      ...Array.from({ length: 3 }, (_, n) => timed(client, 'POST', 'devices', { serial_number: `L${n}` })),
    ]);
    expect(locked.map(({ status }) => status)).toEqual(locked.map(() => 503));
    expect(unexpected(locked)).toEqual([]);
    const blocked = timed(client, 'GET', 'devices');
    for (let n = 0; n < 20; n += 1) {
      const free = await timed(client, 'GET', 'groups');
      expect([free.status, free.took < 1_000]).toEqual([200, true]);
    }
    await other.query('rollback');
    await other.end();
    expect((await blocked).status).toBe(200);
    expect((await timed(client, 'POST', 'devices', { serial_number: 'after' })).status).toBe(201);
  });
});
