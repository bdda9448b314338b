import Sqlite from 'better-sqlite3';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import type { Client } from '../support/client.js';
import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runProgram, startProgram, type Program } from '../support/program.js';
import { runTool, useScratchFolder } from './machine.js';

const CONFIG_EXIT = 78;
const PAGE = 4096;
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
  const program = await startProgram(urlOf(file));
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  return token;
}

/** Resolves when the check that follows a start has ended without damage. */
async function checkedBehind(program: Program): Promise<void> {
  await expect.poll(() => program.stdout()).toContain(SOUND);
  expect(program.stdout()).not.toContain(FIRST);
  expect(program.stdout().indexOf('"listening"')).toBeLessThan(program.stdout().indexOf(BEGINS));
}

const wholeFile = async (client: Client): Promise<unknown> =>
  ((await client.get('/readyz')).body as { checks: Record<string, unknown> }).checks.whole_file;

/** Overwrites the rows of the groups, as a disk does that returns other bytes than were written: the file keeps its time. */
function damageUnnoticed(): void {
  const database = new Sqlite(file, { readonly: true });
  const { rootpage } = database.prepare("select rootpage from sqlite_schema where name = 'groups'").get() as {
    rootpage: number;
  };
  database.close();
  const reference = join(folder, 'reference');
  runTool('touch', '-r', file, reference);
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE, 7), 0, PAGE, (rootpage - 1) * PAGE);
  closeSync(descriptor);
  runTool('touch', '-r', reference, file);
}

it('CF-44 after a clean stop, the file is checked once requests are served', async () => {
  await stoppedOnce();
  const program = await startProgram(urlOf(file));
  expect((await program.client(null).get('/readyz')).status).toBe(200);
  await checkedBehind(program);
  expect(await wholeFile(program.client(null))).toEqual({ ok: true });
});

it('CF-44 a stop during the check is a clean one, and leaves nothing running', async () => {
  await stoppedOnce();
  for (let round = 0; round < 3; round += 1) {
    const program = await startProgram(urlOf(file));
    expect(program.stdout()).not.toContain(FIRST);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  }
  expect(readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

it('CF-44 after kill -9, the check comes first, also where a command has closed the file since', async () => {
  await stoppedOnce();
  for (const command of [null, ['user', 'list'], ['db', 'check']]) {
    const killed = await startProgram(urlOf(file));
    await killed.end('SIGKILL');
    if (command !== null) expect((await runProgram(command, urlOf(file))).code).toBe(0);
    const program = await startProgram(urlOf(file));
    expect(program.stdout()).toContain(FIRST);
    expect(program.stdout()).not.toContain(BEGINS);
    expect(await wholeFile(program.client(null))).toEqual({ ok: true });
    await program.end('SIGTERM');
  }
});

it('CF-44 commands that close the file after a clean stop leave it clean', async () => {
  await stoppedOnce();
  for (const command of [
    ['user', 'list'],
    ['db', 'check'],
  ]) {
    expect((await runProgram(command, urlOf(file))).code).toBe(0);
  }
  await checkedBehind(await startProgram(urlOf(file)));
});

it('CF-44 a file that was changed since the clean stop is checked first', async () => {
  await stoppedOnce();
  runTool('touch', '-d', '2026-01-01T00:00:00Z', file);
  const program = await startProgram(urlOf(file));
  expect(program.stdout()).toContain(FIRST);
});

it('CF-44 damage that the check finds while requests are served makes the server not ready', async () => {
  const token = await stoppedOnce();
  damageUnnoticed();
  const program = await startProgram(urlOf(file));
  const client = program.client(token);
  expect((await client.get('/healthz')).status).toBe(200);
  await expect.poll(() => wholeFile(client)).toEqual({ ok: false, problem: 'damaged' });
  const ready = await client.get('/readyz');
  expect([ready.status, ready.body.checks]).toMatchObject([
    503,
    { database: { ok: false, problem: 'db_corrupt' } },
  ]);
  expect(program.stdout()).toMatch(/"code":"db_corrupt".*"storage fault"/);
  const write = await client.post('devices', { serial_number: 's' });
  expect([write.status, write.body.code]).toEqual([503, 'db_corrupt']);
  expect((await client.get('devices')).status).toBe(200);
  await program.end('SIGTERM');
  const refused = await runProgram(['serve'], urlOf(file));
  expect([refused.code, refused.output]).toEqual([CONFIG_EXIT, expect.stringContaining('is damaged')]);
});
