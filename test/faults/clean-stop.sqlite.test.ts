import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import type { Client } from '../support/client.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { damageTable, placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runCommand, serveHere, startProgram } from '../support/program.js';
import { runTool, useScratchFolder } from './machine.js';

const CONFIG_EXIT = 78;
const FIRST = 'was checked before the start';
const BEGINS = 'the check of the whole database file begins';
const SOUND = 'has ended: no damage found';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

const prepare = () =>
  prepareDatabase(placeAt(file), async (work) => {
    for (let n = 0; n < 200; n += 1) await createGroup(work, { name: `group ${n}` });
  });

/** A database that a server has closed. */
async function stoppedOnce(): Promise<string> {
  const { token } = await prepare();
  await (await serveHere(urlOf(file))).stop();
  return token;
}

/** Resolves when the check that follows a start has ended without damage. */
async function checkedBehind(output: () => string): Promise<void> {
  await expect.poll(output).toContain(SOUND);
  expect(output()).not.toContain(FIRST);
}

const wholeFile = async (client: Client): Promise<unknown> =>
  ((await client.get('/readyz')).body as { checks: Record<string, unknown> }).checks.whole_file;

it('CF-44 after a clean stop, the file is checked once requests are served', async () => {
  await prepare();
  const first = await startProgram(urlOf(file));
  expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const program = await startProgram(urlOf(file));
  expect((await program.client(null).get('/readyz')).status).toBe(200);
  await checkedBehind(() => program.stdout());
  expect(program.stdout().indexOf('"listening"')).toBeLessThan(program.stdout().indexOf(BEGINS));
  expect(await wholeFile(program.client(null))).toEqual({ ok: true });
});

it('the first server on a database that a command has made does not say that another one left it open', async () => {
  await prepare();
  const server = await serveHere(urlOf(file));
  expect(server.output()).not.toContain(FIRST);
  await server.stop();
});

it('CF-44 a stop during the check is a clean one, and leaves nothing running', async () => {
  await stoppedOnce();
  for (let round = 0; round < 3; round += 1) {
    const server = await serveHere(urlOf(file));
    expect(server.output()).not.toContain(FIRST);
    await server.stop();
  }
  expect(readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

it('CF-44 after kill -9, the check comes first, also where a command has closed the file since', async () => {
  await stoppedOnce();
  const killed = await startProgram(urlOf(file));
  await killed.end('SIGKILL');
  for (const [index, command] of [null, ['user', 'list'], ['db', 'check']].entries()) {
    const copy = join(folder, String(index));
    mkdirSync(copy);
    for (const suffix of ['', '-wal', '-shm', '.marker']) runTool('cp', '-p', file + suffix, copy);
    const url = urlOf(join(copy, 'gateway.db'));
    if (command !== null) expect((await runCommand(command, url)).code).toBe(0);
    const server = await serveHere(url);
    expect(server.output()).toContain(FIRST);
    expect(server.output()).not.toContain(BEGINS);
    expect(await wholeFile(server.client(null))).toEqual({ ok: true });
    await server.stop();
  }
});

it('CF-44 commands that close the file after a clean stop leave it clean', async () => {
  await stoppedOnce();
  for (const command of [
    ['user', 'list'],
    ['db', 'check'],
  ]) {
    expect((await runCommand(command, urlOf(file))).code).toBe(0);
  }
  const server = await serveHere(urlOf(file));
  await checkedBehind(() => server.output());
});

it('CF-44 damage that the check finds while requests are served makes the server not ready', async () => {
  const token = await stoppedOnce();
  damageTable(file, 'groups');
  const server = await serveHere(urlOf(file));
  const client = server.client(token);
  expect((await client.get('/healthz')).status).toBe(200);
  await expect.poll(() => wholeFile(client)).toEqual({ ok: false, problem: 'damaged' });
  const ready = await client.get('/readyz');
  expect([ready.status, ready.body.checks]).toMatchObject([
    503,
    { database: { ok: false, problem: 'db_corrupt' } },
  ]);
  expect(server.output()).toMatch(/"code":"db_corrupt".*"storage fault"/);
  const write = await client.post('devices', { serial_number: 's' });
  expect([write.status, write.body.code]).toEqual([503, 'db_corrupt']);
  expect((await client.get('devices')).status).toBe(200);
  await server.stop();
  const refused = await runCommand(['serve'], urlOf(file));
  expect([refused.code, refused.output]).toEqual([CONFIG_EXIT, expect.stringContaining('is damaged')]);
});

it('CF-25 a stop ends the threads that have examined many rows', async () => {
  const place = placeAt(file);
  const { token, companyId } = await prepareDatabase(place);
  const [user] = await place.sql<{ id: number }>('select id from users');
  await insertMany(place, ['groups', companyId, 6_000], (n) => ({
    name: `group ${n}`,
    ...audited(user?.id ?? 0),
  }));
  const program = await startProgram(urlOf(file));
  const client = program.client(token);
  const { body } = await client.get('groups', undefined, { query: { page: '200' } });
  expect(body).toMatchObject({ groups: { length: 30 } });
  expect((await client.get('/metrics')).text).toContain('database_reader_threads 1');
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(existsSync(`${file}-wal`)).toBe(false);
});
