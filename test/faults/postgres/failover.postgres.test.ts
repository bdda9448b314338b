import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished } from 'vitest';

import { ServerTools } from '../../../src/database/postgres/tools.js';
import { readDocument } from '../../documents/markdown.js';
import { freePort } from '../../support/free-port.js';
import { metricOf } from '../../support/gauges.js';
import { installed } from '../../support/installed.js';
import type { OwnServer } from '../../support/postgres/boot.js';
import { admit, baseBackup, installedPostgres, WITHOUT_POSTGRES } from '../../support/postgres/installed.js';
import { createByRest, writeUntil, type Written } from '../../support/postgres/load.js';
import { killPrograms, startProgram } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';
import { itUnless } from '../machine.js';
import { addCompany } from './gateway.js';

const HAPROXY = 'haproxy';
const GUIDE = 'src/docs/operate/failover.md';
const WRITERS = 8;
const SILENT_SECONDS = 2;

afterEach(killPrograms);

/** Starts haproxy with the configuration of the guide before these servers; resolves to the port for the nodes. */
async function startHaproxy(servers: readonly OwnServer[]): Promise<number> {
  const [, sample = ''] = /```haproxy\n([^]*?)```/.exec(readDocument(GUIDE)) ?? [];
  const port = await freePort();
  const addresses = servers.map((server) => `127.0.0.1:${server.port}`);
  const configuration = sample
    .replace('127.0.0.1:5000', `127.0.0.1:${port}`)
    .replace('10.0.0.1:5432', addresses[0] ?? '')
    .replace('10.0.0.2:5432', addresses[1] ?? '');
  expect(configuration).not.toMatch(/10\.0|:5432|:5000/);
  const file = join(scratchFolder(), 'haproxy.cfg');
  writeFileSync(file, configuration);
  const haproxy = spawn(HAPROXY, ['-db', '-f', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    haproxy.kill('SIGKILL');
    if (haproxy.exitCode === null && haproxy.signalCode === null) await once(haproxy, 'exit');
  });
  return port;
}

async function startPair(): Promise<readonly [primary: OwnServer, standby: OwnServer]> {
  const primary = await installedPostgres();
  onTestFinished(() => primary.stop());
  admit(primary, 'host postgres haproxy 127.0.0.1/32 trust');
  await primary.admin('create role haproxy login', 'grant pg_read_all_stats to gateway_owner');
  await primary.admin('select pg_reload_conf()');
  const standby = await primary.another((data) =>
    baseBackup(primary, data, '--write-recovery-conf', '--create-slot', '--slot=db2'),
  );
  onTestFinished(() => standby.stop());
  return [primary, standby];
}

/** Lets the primary acknowledge only what the standby has on its disk. */
async function makeSynchronous(primary: OwnServer): Promise<void> {
  await primary.admin("alter system set synchronous_standby_names = 'db2'", 'select pg_reload_conf()');
  const states = async () => await primary.admin('select sync_state from pg_stat_replication');
  await expect.poll(states).toEqual([{ sync_state: 'sync' }]);
}

describe('failover to a synchronous standby', () => {
  itUnless(WITHOUT_POSTGRES ?? installed(HAPROXY, '-v'))(
    'loses nothing acknowledged, and nodes go on without a restart',
    async () => {
      const [primary, standby] = await startPair();
      const token = await addCompany(primary.url);
      await makeSynchronous(primary);
      const url = new URL(primary.url);
      url.port = String(await startHaproxy([primary, standby]));
      const program = await startProgram(url.href);
      const client = program.client(token);
      await expect.poll(async () => (await client.get('groups')).status).toBe(200);
      const lag = () => metricOf(program.url, 'database_standby_lag_bytes{standby="db2"}');
      await expect.poll(lag, { interval: 1_000 }).toBeGreaterThanOrEqual(0);

      const written: Written = { names: [], repeated: 0 };
      let isDone = false;
      const writers = Array.from({ length: WRITERS }, (_, n) =>
        writeUntil(createByRest, { url: program.url, token, prefix: `g${n}` }, () => isDone, written),
      );
      await expect.poll(() => written.names.length).toBeGreaterThan(50);
      await primary.end('SIGKILL');
      await sleep(SILENT_SECONDS * 1_000);
      const before = written.names.length;
      await standby.admin('select pg_promote()');
      await expect.poll(() => written.names.length).toBeGreaterThan(before + 50);
      isDone = true;
      await Promise.all(writers);

      expect(written.repeated).toBeGreaterThan(0);
      const stored = await standby.admin('select name from groups');
      expect(stored.map(({ name }) => String(name)).toSorted()).toEqual(written.names.toSorted());
      const { problems } = await new ServerTools(standby.url, 'standby').check();
      expect(problems).toEqual([]);
      expect(program.process.exitCode).toBeNull();
      await expect.poll(async () => (await client.get('/readyz')).status).toBe(200);
    },
  );

  itUnless(WITHOUT_POSTGRES)(
    'does not happen by itself: without the standby, the primary acknowledges nothing',
    async () => {
      const [primary, standby] = await startPair();
      const token = await addCompany(primary.url);
      await makeSynchronous(primary);
      const program = await startProgram(primary.url);
      expect((await createByRest(program.url, token, 'with', 'k-1')).status).toBe(201);
      await standby.end('SIGKILL');
      const alone = await createByRest(program.url, token, 'alone', 'k-2');
      expect(alone.status).toBe(503);
      expect((await program.client(token).get('groups')).status).toBe(200);
      await primary.admin('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
      await expect
        .poll(async () => (await createByRest(program.url, token, 'alone', 'k-2')).status)
        .toBe(201);
      const names = await primary.admin('select name from groups order by name');
      expect(names).toEqual([{ name: 'alone' }, { name: 'with' }]);
    },
  );
});
