import Sqlite from 'better-sqlite3';
import {
  copyFileSync,
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
import { describe, expect, it } from 'vitest';

import { markerOf } from '../../support/marker.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { runProgram, startProgram } from '../../support/program.js';
import { useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const CONFIG_EXIT = 78;
const CHANGES = 30;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

/** A database with 30 acknowledged groups, whose server was killed before it copied the log into the file. */
async function killAfterChanges(): Promise<{ token: string }> {
  const { token } = await prepareDatabase(file);
  const program = await startProgram(file);
  const client = program.client(token);
  for (let n = 0; n < CHANGES; n += 1) {
    expect((await client.post('groups', { name: `group ${n}` })).status).toBe(201);
  }
  await program.end('SIGKILL');
  return { token };
}

async function countGroups(
  path: string,
  token: string,
  args: readonly string[] = ['serve'],
): Promise<unknown> {
  const program = await startProgram(path, { args });
  const { body } = await program.client(token).get('groups');
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  return (body.pagination as { total_entries: number }).total_entries;
}

/** Every command that would serve, change or copy the database is refused with the same reason. */
async function expectRefused(path: string, reason: RegExp): Promise<void> {
  const commands = [['serve'], ['user', 'list'], ['db', 'migrate'], ['db', 'backup', join(folder, 'b.db')]];
  for (const command of commands) {
    const { code, output } = await runProgram(command, path);
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
      () => [file, markerOf(file)].forEach((path) => rmSync(path)),
      /is missing, but its token secret is there/,
    ],
  ])('%s is never replaced by a new one', async (_what, harm, reason) => {
    await prepareDatabase(file);
    expect(await (await startProgram(file)).end('SIGTERM')).toEqual({ code: 0, signal: null });
    harm();
    await expectRefused(file, reason);
    expect(statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const checked = await runProgram(['db', 'check'], file);
    expect([checked.code, checked.output]).toEqual([CONFIG_EXIT, expect.stringMatching(reason)]);
  });

  it('removed after a kill, with its log left, is refused', async () => {
    await killAfterChanges();
    rmSync(file);
    const { code, output } = await runProgram(['serve'], file);
    expect([code, output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining('is missing, but there is the log'),
    ]);
  });

  it('replaced by a folder is refused', async () => {
    await killAfterChanges();
    removeAll(file);
    mkdirSync(file);
    expect((await runProgram(['serve'], file)).code).toBe(CONFIG_EXIT);
  });

  it('replaced by another database of this program is refused', async () => {
    await prepareDatabase(file);
    await prepareDatabase(join(folder, 'other.db'));
    renameSync(join(folder, 'other.db'), file);
    await expectRefused(file, /is not the database that was here/);
  });

  it('is served again once a backup of it is restored in its place', async () => {
    const { token } = await killAfterChanges();
    const backup = join(folder, 'backup.db');
    expect((await runProgram(['db', 'backup', backup], file)).code).toBe(0);
    removeAll(file);
    expect((await runProgram(['serve'], file)).code).toBe(CONFIG_EXIT);
    expect((await runProgram(['db', 'restore', backup], file)).code).toBe(0);
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(problemsIn(file)).toEqual([]);
  });

  it('is replaced by a new one with --accept-loss, which log and ledger tell', async () => {
    await killAfterChanges();
    removeAll(file);
    const program = await startProgram(file, { args: ['serve', '--accept-loss'] });
    expect(program.stdout()).toContain('started with accepted loss of acknowledged changes');
    expect((await program.client(null).get('/readyz')).status).toBe(200);
    await program.end('SIGTERM');
    expect(acceptedIn(file)).toMatchObject([{ before: { sequence: CHANGES + 4 }, after: { sequence: 0 } }]);
    expect(await (await startProgram(file)).end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

function acceptedIn(path: string): unknown[] {
  const database = new Sqlite(path, { readonly: true });
  const rows = database.prepare("select before, after from ledger where action = 'accept_loss'").all();
  database.close();
  return (rows as { before: string; after: string }[]).map(({ before, after }) => ({
    before: JSON.parse(before) as unknown,
    after: JSON.parse(after) as unknown,
  }));
}

describe('CF-12 a log that is lost', () => {
  it('after a kill: what it had is counted, and the start is refused until that is accepted', async () => {
    const { token } = await killAfterChanges();
    rmSync(`${file}-wal`);
    const reason = /has lost 30 acknowledged changes: its ledger ends at 4, but 34 was acknowledged at 2/;
    await expectRefused(file, reason);
    const checked = await runProgram(['db', 'check'], file);
    expect([checked.code, checked.output]).toEqual([1, expect.stringMatching(reason)]);
    expect(await countGroups(file, token, ['serve', '--accept-loss'])).toBe(0);
    // The company sees the loss too: one entry of the server, one of the company.
    const lost = { before: { sequence: 34 }, after: { sequence: 4 } };
    expect(acceptedIn(file)).toMatchObject([lost, lost]);
    expect(await countGroups(file, token)).toBe(0);
  });

  it('and put back loses nothing', async () => {
    const { token } = await killAfterChanges();
    renameSync(`${file}-wal`, join(folder, 'kept'));
    expect((await runProgram(['serve'], file)).code).toBe(CONFIG_EXIT);
    renameSync(join(folder, 'kept'), `${file}-wal`);
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(problemsIn(file)).toEqual([]);
  });

  it('because the main file was copied alone, is not served, copied or restored', async () => {
    await killAfterChanges();
    const copy = join(folder, 'copy', 'gateway.db');
    mkdirSync(join(folder, 'copy'));
    copyFileSync(file, copy);
    await expectRefused(copy, /was copied without its log, or lost it/);
    for (let time = 0; time < 2; time += 1) {
      expect((await runProgram(['db', 'check'], copy)).code).toBe(1);
    }
    expect((await runProgram(['db', 'info'], copy)).output).toContain('was copied without its log');
    const restored = await runProgram(['db', 'restore', copy], join(folder, 'new.db'));
    expect([restored.code, existsSync(join(folder, 'new.db'))]).toEqual([CONFIG_EXIT, false]);
  });

  it('is no loss after a stop: the main file alone is whole', async () => {
    const { token } = await killAfterChanges();
    expect(await countGroups(file, token)).toBe(CHANGES);
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    expect(await countGroups(copy, token)).toBe(CHANGES);
  });

  it('with an index of another state beside it loses nothing', async () => {
    const { token } = await killAfterChanges();
    writeFileSync(`${file}-shm`, Buffer.alloc(statSync(`${file}-shm`).size, 0x5a));
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(problemsIn(file)).toEqual([]);
  });

  it('replaced by an older copy of all files is refused', async () => {
    const { token } = await prepareDatabase(file);
    for (const suffix of ['', '.lock']) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, join(folder, `old${suffix}`));
    }
    const program = await startProgram(file);
    expect((await program.client(token).post('groups', { name: 'later' })).status).toBe(201);
    await program.end('SIGTERM');
    copyFileSync(join(folder, 'old'), file);
    await expectRefused(file, /has lost 1 acknowledged changes/);
  });
});

describe('a marker', () => {
  it.each([
    ['torn in the record of the server', (bytes: Buffer) => bytes.fill(0xff, 20, 60)],
    ['of zeros where the server writes', (bytes: Buffer) => bytes.fill(0, 0, 512)],
    ['of zeros throughout', (bytes: Buffer) => bytes.fill(0)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 30)],
  ])('CF-02 %s, as by a power cut, never refuses a good database', async (_what, harm) => {
    const { token } = await killAfterChanges();
    writeFileSync(markerOf(file), harm(readFileSync(markerOf(file))));
    expect(await countGroups(file, token)).toBe(CHANGES);
    expect(problemsIn(file)).toEqual([]);
  });

  it('CF-02 older than the log, as by a power cut, never refuses a good database', async () => {
    const { token } = await prepareDatabase(file);
    const before = readFileSync(markerOf(file));
    const program = await startProgram(file);
    for (const name of ['one', 'two']) await program.client(token).post('groups', { name });
    await program.end('SIGKILL');
    writeFileSync(markerOf(file), before);
    expect(await countGroups(file, token)).toBe(2);
  });
});
