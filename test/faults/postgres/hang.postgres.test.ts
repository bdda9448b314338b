import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { killPrograms } from '../../support/program.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import {
  addCompany,
  recovered,
  requested,
  startGateway,
  startLoad,
  unexpected,
  type Answer,
} from './gateway.js';

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

const refusals = (answers: readonly Answer[]): number =>
  answers.filter(({ status }) => status === 503).length;

describe('CF-20 a PostgreSQL that does not answer', () => {
  it('503 while all of its processes are stopped, and goes on afterwards', async () => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    // At most 250 requests of one network may be in progress.
    const load = startLoad(client, 40);
    await sleep(1_000);
    const before = residentBytes(program.pid);
    server.signal('SIGSTOP');
    // PostgreSQL answers nothing from here on, so whatever arrives did not wait for it.
    await expect.poll(() => refusals(load.answers)).toBeGreaterThan(200);
    const grown = residentBytes(program.pid) - before;
    expect((await requested(client, 'GET', '/healthz')).status).toBe(200);
    server.signal('SIGCONT');
    await recovered(client);
    expect(unexpected(await load.stop())).toEqual([]);
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
    const before = load.answers.length;
    await expect.poll(() => load.answers.length).toBeGreaterThan(before + 200);
    expect(others.length).toBeGreaterThan(10);
    await Promise.all(others.map((other) => other.end()));
    await recovered(client);
    expect(unexpected(await load.stop())).toEqual([]);
    expect(program.output()).not.toContain('unexpected error');
  });

  it('503 for requests on a table that somebody has locked; others are served', async () => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    const other = await connection(server.adminUrl);
    await other.query('begin; lock table devices in access exclusive mode');
    const locked = await Promise.all([
      ...Array.from({ length: 5 }, () => requested(client, 'GET', 'devices')),
      ...Array.from({ length: 3 }, (_, n) =>
        requested(client, 'POST', 'devices', { serial_number: `L${n}` }),
      ),
    ]);
    expect(locked.map(({ status }) => status)).toEqual(locked.map(() => 503));
    expect(unexpected(locked)).toEqual([]);
    const blocked = requested(client, 'GET', 'devices');
    for (let n = 0; n < 20; n += 1) {
      expect((await requested(client, 'GET', 'groups')).status).toBe(200);
    }
    await other.query('rollback');
    await other.end();
    expect((await blocked).status).toBe(200);
    expect((await requested(client, 'POST', 'devices', { serial_number: 'after' })).status).toBe(201);
  });
});
