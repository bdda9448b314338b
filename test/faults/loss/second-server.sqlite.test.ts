import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createClient } from '../../support/client.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { markerOf } from '../../support/marker.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { PROGRAM, runCommand, runProgram, startProgram, type Program } from '../../support/program.js';
import { openServer } from '../../support/server.js';
import { AS_NOBODY, isRoot, itUnless, lacking, useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const CONFIG_EXIT = 78;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

function replaceLock(): void {
  rmSync(`${file}.lock`);
  writeFileSync(`${file}.lock`, '', { mode: 0o600 });
}

async function expectFirstServes(first: Program, token: string): Promise<void> {
  expect((await first.client(token).post('groups', { name: 'still first' })).status).toBe(201);
  expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await problemsIn(placeAt(file))).toEqual([]);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function upload(url: string, token: string, name: string): Promise<number> {
  const form = new FormData();
  form.set('asset', new Blob([Buffer.alloc(16 * 1024 * 1024, 1)]), name);
  return (await createClient(url, token).post('files', form)).status;
}

describe('CF-43 a second server on the same file', () => {
  it('by a symbolic link is refused', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const first = await startProgram(urlOf(file));
    const link = join(folder, 'link.db');
    symlinkSync(file, link);
    const second = await runProgram(['serve'], urlOf(link));
    expect([second.code, second.output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining(`in use by process ${first.pid}`),
    ]);
    await expectFirstServes(first, token);
  });

  it.each([
    ['while the first runs', true],
    ['after the first was killed', false],
  ])('by a hard link is refused %s, and so are commands', async (_when, isRunning) => {
    const { token } = await prepareDatabase(placeAt(file));
    const first = await startProgram(urlOf(file));
    if (!isRunning) await first.end('SIGKILL');
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const link = join(elsewhere, 'gateway.db');
    linkSync(file, link);
    await expect(openServer(urlOf(link))).rejects.toThrow('has 2 names (hard links)');
    const second = await runCommand(['user', 'list'], urlOf(link));
    expect([second.code, second.output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining('has 2 names (hard links)'),
    ]);
    rmSync(link);
    if (isRunning) await expectFirstServes(first, token);
    else await (await openServer(urlOf(file))).stop();
  });

  it.each([
    ['the lock was removed', () => rmSync(`${file}.lock`)],
    ['the lock was replaced', () => replaceLock()],
    ['lock and marker were removed', () => [`${file}.lock`, markerOf(file)].forEach((path) => rmSync(path))],
  ])('is refused although %s', async (_what, harm) => {
    const { token } = await prepareDatabase(placeAt(file));
    const first = await startProgram(urlOf(file));
    harm();
    // The first server makes a marker again that is missing.
    await expect.poll(() => existsSync(markerOf(file))).toBe(true);
    await expect(openServer(urlOf(file))).rejects.toThrow('one server only');
    await expectFirstServes(first, token);
  });

  it('that was killed is none: the next one starts, with or without the lock', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    await (await startProgram(urlOf(file))).end('SIGKILL');
    await (await startProgram(urlOf(file))).end('SIGKILL');
    rmSync(`${file}.lock`);
    await expectFirstServes(await startProgram(urlOf(file)), token);
  });

  it('is no command: one that reads for long lets a server start, and stop', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const filling = await openServer(urlOf(file));
    const url = await filling.start();
    for (let n = 0; n < 4; n += 1) expect(await upload(url, token, `${n}`)).toBe(201);
    await filling.stop();
    const backup = join(folder, 'backup.db');
    const command = spawn(process.execPath, [PROGRAM, 'db', 'backup', backup], {
      env: { PATH: process.env.PATH, DATABASE_URL: `file:${file}` },
      stdio: 'ignore',
    });
    onTestFinished(() => void command.kill('SIGKILL'));
    // In the middle of its copy.
    await expect.poll(() => sizeOf(`${backup}.unfinished`), { interval: 1 }).toBeGreaterThan(1_000_000);
    command.kill('SIGSTOP');
    expect(existsSync(backup)).toBe(false);
    const first = await startProgram(urlOf(file));
    expect((await first.client(token).post('groups', { name: 'beside' })).status).toBe(201);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    command.kill('SIGCONT');
    expect(await once(command, 'exit')).toEqual([0, null]);
    await expectFirstServes(await startProgram(urlOf(file)), token);
  });

  it('on a copy of the folder is another server, on another database', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const first = await startProgram(urlOf(file));
    expect((await first.client(token).post('groups', { name: 'before' })).status).toBe(201);
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    for (const suffix of ['', '-wal', '-shm', '.lock', '.marker']) {
      cpSync(file + suffix, join(copy, `gateway.db${suffix}`));
    }
    const second = await startProgram(urlOf(join(copy, 'gateway.db')));
    expect((await second.client(token).get('groups')).body.pagination).toMatchObject({ total_entries: 1 });
    expect((await second.client(token).post('groups', { name: 'of the copy' })).status).toBe(201);
    expect((await first.client(token).get('groups')).body.pagination).toMatchObject({ total_entries: 1 });
    await second.end('SIGTERM');
    await expectFirstServes(first, token);
  });
});

/** Holds a read lock on a file, as a user who can only read it. Prints `held` or the error. */
const HOLD = `
import fcntl, sys, time
try:
    handle = open(sys.argv[1])
    fcntl.lockf(handle, fcntl.LOCK_SH)
    print('held', flush=True)
    time.sleep(600)
except OSError as error:
    print(error, flush=True)
`;

describe('CF-43 another user', () => {
  itUnless(lacking.otherUser() ?? (isRoot ? null : 'this user has no other users'))(
    'cannot hold the lock, the database or what is beside it',
    async () => {
      await prepareDatabase(placeAt(file));
      for (const above of [folder, dirname(folder)]) chmodSync(above, 0o755);
      // As an older version left it, or a copy of it.
      writeFileSync(`${file}.lock`, '');
      chmodSync(`${file}.lock`, 0o644);
      chmodSync(file, 0o644);
      expect(await hold(`${file}.lock`)).toBe('held');
      const program = await startProgram(urlOf(file));
      for (const suffix of ['', '-wal', '-shm', '.lock', '.marker', '.reserve', '.secret']) {
        expect([suffix, statSync(file + suffix).mode & 0o777]).toEqual([suffix, 0o600]);
        expect(await hold(file + suffix)).toContain('Permission denied');
      }
      expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );

  async function hold(path: string): Promise<string> {
    const [command, ...args] = AS_NOBODY;
    const holder = spawn(command, [...args, 'python3', '-c', HOLD, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    return said.toString().trim();
  }
});
