import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { DatabaseRefused } from '../../../src/database/database.js';
import { reading } from '../../../src/database/sqlite/file/open-file.js';
import { createClient } from '../../support/client.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { runCommand, runProgram, serveHere, startProgram } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';
import { openServer } from '../../support/server.js';
import { useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const CONFIG_EXIT = 78;
const CHANGES = 30;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

/** A folder as a server left it that was killed after 30 acknowledged changes, with the token of its administrator. */
let killed: { readonly folder: string; readonly token: string };
beforeAll(async () => {
  const left = scratchFolder();
  const path = join(left, 'gateway.db');
  const { token } = await prepareDatabase(placeAt(path));
  copyFileSync(`${path}.marker`, join(left, 'before.db.marker'));
  const program = await startProgram(urlOf(path));
  const client = program.client(token);
  for (let n = 0; n < CHANGES; n += 1) {
    expect((await client.post('groups', { name: `group ${n}` })).status).toBe(201);
  }
  await program.end('SIGKILL');
  killed = { folder: left, token };
});

/** A database with 30 acknowledged groups, whose server was killed before it copied the log into the file. */
function killAfterChanges(): { token: string } {
  cpSync(killed.folder, folder, { recursive: true });
  return killed;
}

async function startAndStop(path: string): Promise<void> {
  const server = await openServer(urlOf(path));
  await server.start();
  await server.stop();
}

async function countGroups(path: string, token: string): Promise<unknown> {
  const server = await openServer(urlOf(path));
  const { body } = await createClient(await server.start(), token).get('groups');
  await server.stop();
  return (body.pagination as { total_entries: number }).total_entries;
}

const COMMANDS = (): string[][] => [
  ['user', 'list'],
  ['db', 'migrate'],
  ['db', 'backup', join(folder, 'b.db')],
];

/** Everything that would serve, change or copy the database is refused with the same reason. */
async function expectRefused(path: string, reason: RegExp): Promise<void> {
  await expect(openServer(urlOf(path))).rejects.toThrow(reason);
  for (const command of COMMANDS()) {
    const { code, output } = await runCommand(command, urlOf(path));
    expect([command, code, output]).toEqual([command, CONFIG_EXIT, expect.stringMatching(reason)]);
    expect(output).toContain('--accept-loss');
  }
  expect(existsSync(join(folder, 'b.db'))).toBe(false);
}

function removeAll(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

describe('CF-11 a database that is emptied or missing', () => {
  it.each([
    ['emptied', () => truncateSync(file, 0), /is empty, but it had a ledger of \d+ changes/],
    ['removed', () => rmSync(file), /is missing, but it had a ledger of \d+ changes/],
    [
      'removed with its marker',
      () => [file, `${file}.marker`].forEach((path) => rmSync(path)),
      /is missing, but its token secret is there/,
    ],
  ])('%s is never replaced by a new one', async (_what, harm, reason) => {
    await prepareDatabase(placeAt(file));
    await startAndStop(file);
    harm();
    await expectRefused(file, reason);
    expect(statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const checked = await runCommand(['db', 'check'], urlOf(file));
    expect([checked.code, checked.output]).toEqual([CONFIG_EXIT, expect.stringMatching(reason)]);
  });

  it('removed after a kill, with its log left, is refused', async () => {
    killAfterChanges();
    rmSync(file);
    await expect(openServer(urlOf(file))).rejects.toThrow('is missing, but there is the log');
  });

  it('replaced by a folder is refused', async () => {
    killAfterChanges();
    removeAll(file);
    mkdirSync(file);
    await expect(openServer(urlOf(file))).rejects.toThrow(DatabaseRefused);
  });

  it('replaced by another database of this program is refused', async () => {
    await prepareDatabase(placeAt(file));
    await prepareDatabase(placeAt(join(folder, 'other.db')));
    renameSync(join(folder, 'other.db'), file);
    await expectRefused(file, /is not the database that was here/);
  });

  it('is served again once a backup of it is restored in its place', async () => {
    const { token } = killAfterChanges();
    const backup = join(folder, 'backup.db');
    expect((await runCommand(['db', 'backup', backup], urlOf(file))).code).toBe(0);
    removeAll(file);
    await expect(openServer(urlOf(file))).rejects.toThrow(DatabaseRefused);
    expect((await runCommand(['db', 'restore', backup], urlOf(file))).code).toBe(0);
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  it('is replaced by a new one with --accept-loss, which log and ledger tell', async () => {
    killAfterChanges();
    removeAll(file);
    const server = await serveHere(urlOf(file), {}, { acceptLoss: true });
    expect(server.output()).toContain('started with accepted loss of acknowledged changes');
    expect((await server.client(null).get('/readyz')).status).toBe(200);
    await server.stop();
    expect(acceptedIn(file)).toMatchObject([{ before: { sequence: CHANGES + 4 }, after: { sequence: 0 } }]);
    await startAndStop(file);
  });
});

function acceptedIn(path: string): unknown[] {
  const rows = reading(path, (database) =>
    database.prepare("select before, after from ledger where action = 'accept_loss'").all(),
  );
  return (rows as { before: string; after: string }[]).map(({ before, after }) => ({
    before: JSON.parse(before) as unknown,
    after: JSON.parse(after) as unknown,
  }));
}

describe('CF-12 a log that is lost', () => {
  // The other tests of this file ask the same of the functions in this process.
  it('after a kill: what it had is counted, and the program refuses to start until that is accepted', async () => {
    const { token } = killAfterChanges();
    rmSync(`${file}-wal`);
    const reason = /has lost 30 acknowledged changes: its ledger ends at 4, but 34 was acknowledged at 2/;
    const refused = await runProgram(['serve'], urlOf(file));
    expect([refused.code, refused.output]).toEqual([CONFIG_EXIT, expect.stringMatching(reason)]);
    await expectRefused(file, reason);
    const checked = await runCommand(['db', 'check'], urlOf(file));
    expect([checked.code, checked.output]).toEqual([1, expect.stringMatching(reason)]);
    const program = await startProgram(urlOf(file), { args: ['serve', '--accept-loss'] });
    expect((await program.client(token).get('groups')).body.pagination).toMatchObject({ total_entries: 0 });
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    // The company sees the loss too: one entry of the server, one of the company.
    const lost = { before: { sequence: 34 }, after: { sequence: 4 } };
    expect(acceptedIn(file)).toMatchObject([lost, lost]);
    expect(await countGroups(file, token)).toBe(0);
  });

  it('and put back loses nothing', async () => {
    const { token } = killAfterChanges();
    renameSync(`${file}-wal`, join(folder, 'kept'));
    await expect(openServer(urlOf(file))).rejects.toThrow(DatabaseRefused);
    renameSync(join(folder, 'kept'), `${file}-wal`);
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  it('because the main file was copied alone, is not served, copied or restored', async () => {
    killAfterChanges();
    const copy = join(folder, 'copy', 'gateway.db');
    mkdirSync(join(folder, 'copy'));
    copyFileSync(file, copy);
    await expectRefused(copy, /was copied without its log, or lost it/);
    for (let time = 0; time < 2; time += 1) {
      expect((await runCommand(['db', 'check'], urlOf(copy))).code).toBe(1);
    }
    expect((await runCommand(['db', 'info'], urlOf(copy))).output).toContain('was copied without its log');
    const restored = await runCommand(['db', 'restore', copy], urlOf(join(folder, 'new.db')));
    expect([restored.code, existsSync(join(folder, 'new.db'))]).toEqual([CONFIG_EXIT, false]);
  });

  it('is no loss after a stop: the main file alone is whole', async () => {
    const { token } = killAfterChanges();
    expect(await countGroups(file, token)).toBe(CHANGES);
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    expect(await countGroups(copy, token)).toBe(CHANGES);
  });

  it('with an index of another state beside it loses nothing', async () => {
    const { token } = killAfterChanges();
    writeFileSync(`${file}-shm`, Buffer.alloc(statSync(`${file}-shm`).size, 0x5a));
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  it('replaced by an older copy of all files is refused', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    copyFileSync(file, join(folder, 'old'));
    const server = await openServer(urlOf(file));
    const client = createClient(await server.start(), token);
    expect((await client.post('groups', { name: 'later' })).status).toBe(201);
    await server.stop();
    copyFileSync(join(folder, 'old'), file);
    await expectRefused(file, /has lost 1 acknowledged change:/);
  });
});

describe('a marker', () => {
  it.each([
    ['torn in the record of the server', (bytes: Buffer) => bytes.fill(0xff, 20, 60)],
    ['of zeros where the server writes', (bytes: Buffer) => bytes.fill(0, 0, 512)],
    ['of zeros throughout', (bytes: Buffer) => bytes.fill(0)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 30)],
  ])('CF-02 %s, as by a power cut, never refuses a good database', async (_what, harm) => {
    const { token } = killAfterChanges();
    writeFileSync(`${file}.marker`, harm(readFileSync(`${file}.marker`)));
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  it('CF-02 older than the log, as by a power cut, never refuses a good database', async () => {
    const { token } = killAfterChanges();
    copyFileSync(join(folder, 'before.db.marker'), `${file}.marker`);
    expect(await countGroups(file, token)).toBe(CHANGES);
  });
});
