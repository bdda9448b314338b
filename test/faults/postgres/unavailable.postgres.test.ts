import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Client } from '../../support/client.js';
import { adminUrlOf, FAST, faultyPostgres, type OwnServer } from '../../support/postgres/boot.js';
import { killPrograms, serveHere, startProgram, type Program } from '../../support/program.js';
import { startServer } from '../../support/server.js';
import { recovered, requested, startLoad, unexpected, type Answer } from '../load.js';
import { memoryOf } from '../machine.js';
import { addCompany } from './gateway.js';

const MEGABYTE = 1024 * 1024;

let server: OwnServer;
let token: string;
/** One program outlives everything that happens to its PostgreSQL. */
let program: Program;
let client: Client;
beforeAll(async () => {
  server = await faultyPostgres({ ...FAST, max_connections: '40' });
  token = await addCompany(server.url);
  program = await startProgram(server.url);
  client = program.client(token);
});
beforeEach(() => recovered(client));
afterAll(async () => {
  try {
    expect(
      program
        .output()
        .split('\n')
        .filter((line) => line.includes('unexpected error')),
    ).toEqual([]);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  } finally {
    await killPrograms();
    await server.stop();
  }
});

/** A connection of somebody else, until `end`. */
async function connection(url: string): Promise<pg.Client> {
  const other = new pg.Client({ connectionString: url });
  other.on('error', () => undefined);
  await other.connect();
  return other;
}

const count = (answers: readonly Answer[], ...statuses: readonly number[]): number =>
  answers.filter(({ status }) => statuses.includes(status)).length;

const endConnections =
  "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway_owner'";

/** The server is not ready, and says why. */
async function expectUnready(problem: string): Promise<void> {
  const ready = await client.get('/readyz');
  expect([ready.status, ready.body.checks]).toEqual([
    503,
    expect.objectContaining({ database: { ok: false, problem } }),
  ]);
}

describe('CF-20 a PostgreSQL that does not answer', () => {
  it('503 while all of its processes are stopped, and goes on afterwards', async () => {
    // At most 250 requests of one network may be in progress.
    const load = startLoad(client, 40);
    await expect.poll(() => count(load.answers, 200, 201)).toBeGreaterThan(40);
    const before = memoryOf(program, 'VmRSS');
    server.signal('SIGSTOP');
    // PostgreSQL answers nothing from here on, so whatever arrives did not wait for it.
    await expect.poll(() => count(load.answers, 503)).toBeGreaterThan(100);
    const grown = memoryOf(program, 'VmRSS') - before;
    expect((await requested(client, 'GET', '/healthz')).status).toBe(200);
    server.signal('SIGCONT');
    await recovered(client);
    expect(unexpected(await load.stop())).toEqual([]);
    expect(grown).toBeLessThan(150 * MEGABYTE);
  });

  it('503 while others use up its connections, and goes on afterwards', async () => {
    // The connections of the program end, and those of others take their places.
    const others: pg.Client[] = [];
    const load = startLoad(client);
    await server.admin(endConnections);
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
  });

  it('503 for requests on a table that somebody has locked; others are served', async () => {
    const other = await connection(adminUrlOf(server, server.url));
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

describe('CF-17 a restart of PostgreSQL under load', () => {
  it.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s: 503 meanwhile, and it goes on afterwards',
    async (signal) => {
      const load = startLoad(client);
      await expect.poll(() => count(load.answers, 200, 201)).toBeGreaterThan(100);
      await server.end(signal);
      await expect.poll(() => count(load.answers, 503)).toBeGreaterThan(50);
      expect((await client.get('/healthz')).status).toBe(200);
      await expectUnready('storage_unavailable');
      await server.start();
      await recovered(client);
      const before = count(load.answers, 200, 201);
      await expect.poll(() => count(load.answers, 200, 201)).toBeGreaterThan(before + 100);
      expect(unexpected(await load.stop())).toEqual([]);
      expect((await client.get('/readyz')).status).toBe(200);
      expect(program.process.exitCode).toBeNull();
    },
  );
});

/** As at a failover: connections end, and those that follow see the new state. */
async function setReadOnly(isReadOnly: boolean, where: 'system' | 'database gateway'): Promise<void> {
  await server.admin(
    // A superuser may always turn it off for one transaction.
    'set default_transaction_read_only = off',
    `alter ${where} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
    'select pg_reload_conf()',
    endConnections,
  );
  await sleep(500);
}

describe('CF-21 a database that becomes read-only, as at a failover', () => {
  it.each(['system', 'database gateway'] as const)('set for the %s', async (where) => {
    const load = startLoad(client, 40);
    await setReadOnly(true, where);
    for (let n = 0; n < 5; n += 1) {
      const write = await requested(client, 'POST', 'groups', { name: `refused ${where} ${n}` });
      expect([write.status, write.code]).toEqual([503, 'storage_read_only']);
      expect(write.retryAfter).toBeGreaterThan(0);
      expect((await requested(client, 'GET', 'groups')).status).toBe(200);
    }
    await expectUnready('storage_read_only');
    // A server that starts meanwhile serves reads too.
    const second = await serveHere(server.url);
    expect((await second.client(token).get('groups')).status).toBe(200);
    await second.stop();
    await setReadOnly(false, where);
    await recovered(client);
    const answers = await load.stop();
    expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});

/** More than a connection may take to answer. */
const BUSY_MS = 7_500;

it('the database is not given up because this process was too busy to read its answers', async () => {
  const here = await startServer();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let isBusy = false;
  here.app.database.watchStatements((text) => {
    if (isBusy || !text.includes('insert into')) return undefined;
    isBusy = true;
    // When the statement was sent, and its answer has not been read.
    process.nextTick(() => Atomics.wait(cell, 0, 0, BUSY_MS));
    return undefined;
  });
  expect((await here.acme.client.post('groups', { name: 'sent' })).status).toBe(201);
  expect(isBusy).toBe(true);
  expect((await here.acme.client.get('groups')).status).toBe(200);
  await here.stop();
});
