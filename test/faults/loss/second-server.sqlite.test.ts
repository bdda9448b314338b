import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import type { Client } from '../../support/client.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { type Program, runCommand, serveHere, startCommand, startProgram } from '../../support/program.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';
import { AS_NOBODY, isRoot, itUnless, lacking, servePrepared, upload, useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const CONFIG_EXIT = 78;
const BUSY_EXIT = 75;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

describe('CF-43 a second server on the file of one that runs', () => {
  let folder: string;
  let file: string;
  let token: string;
  let first: Program;
  let client: Client;
  beforeAll(async () => {
    folder = scratchFolder();
    file = join(folder, 'gateway.db');
    ({ token } = await prepareDatabase(placeAt(file)));
    first = await startProgram(urlOf(file));
    client = first.client(token);
  });
  let groups = 0;
  afterEach(async () => {
    // The first one serves on.
    groups += 1;
    expect((await client.post('groups', { name: `group ${groups}` })).status).toBe(201);
  });
  afterAll(async () => {
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await problemsIn(placeAt(file))).toEqual([]);
    removeFolder(folder);
  });

  it('by a hard link is refused, and so are commands', async () => {
    const link = hardLinkOf(file);
    await expectLinkRefused(link);
    rmSync(link);
  });

  it.each([
    [
      'the lock was replaced',
      () => {
        rmSync(`${file}.lock`);
        writeFileSync(`${file}.lock`, '', { mode: 0o600 });
      },
    ],
    [
      'lock and marker were removed',
      () => [`${file}.lock`, `${file}.marker`].forEach((path) => rmSync(path)),
    ],
  ])('is refused although %s', async (_what, harm) => {
    harm();
    // The first server makes a marker again that is missing.
    await expect.poll(() => existsSync(`${file}.marker`)).toBe(true);
    const refused = await runCommand(['serve'], urlOf(file));
    expect([refused.code, refused.stderr]).toEqual([BUSY_EXIT, expect.stringContaining('one server only')]);
  });

  it('RU-89 on a copy of the folder is refused, and once it is accepted, another server on another database', async () => {
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    for (const suffix of ['', '-wal', '-shm', '.lock', '.marker']) {
      cpSync(file + suffix, join(copy, `gateway.db${suffix}`));
    }
    const total = async (of: Client): Promise<unknown> => (await of.get('groups')).body.pagination;
    const before = await total(client);
    const url = urlOf(join(copy, 'gateway.db'));
    const refused = await runCommand(['serve'], url);
    expect([refused.code, refused.stderr]).toEqual([
      CONFIG_EXIT,
      expect.stringMatching(/^\S+ is a copy: its original is \S+gateway\.db\. [^\n]+--accept-copy\.\n$/),
    ]);
    const second = await serveHere(url, {}, { acceptCopy: true });
    const ofCopy = second.client(token);
    expect(await total(ofCopy)).toEqual(before);
    expect((await ofCopy.post('groups', { name: 'of the copy' })).status).toBe(201);
    expect(await total(client)).toEqual(before);
    await second.stop();
  });
});

function hardLinkOf(file: string): string {
  const elsewhere = join(dirname(file), 'elsewhere');
  mkdirSync(elsewhere);
  const link = join(elsewhere, 'gateway.db');
  linkSync(file, link);
  return link;
}

async function expectLinkRefused(link: string): Promise<void> {
  for (const command of [['serve'], ['user', 'list']]) {
    const refused = await runCommand(command, urlOf(link));
    expect([refused.code, refused.output]).toEqual([
      CONFIG_EXIT,
      expect.stringContaining('has 2 names (hard links)'),
    ]);
  }
}

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

describe('CF-43 a second server', () => {
  let folder: string;
  let file: string;
  useScratchFolder((scratch) => ({ folder, file } = scratch));

  it('that was killed is none: the next one starts, with or without the lock, but not by a hard link', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    await (await startProgram(urlOf(file))).end('SIGKILL');
    const link = hardLinkOf(file);
    await expectLinkRefused(link);
    rmSync(link);
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    // The files as they were left.
    for (const suffix of ['', '-wal', '-shm', '.marker']) {
      cpSync(file + suffix, join(copy, `gateway.db${suffix}`));
    }
    for (const path of [file, join(copy, 'gateway.db')]) {
      const next = await serveHere(urlOf(path));
      expect((await next.client(token).post('groups', { name: 'next' })).status).toBe(201);
      await next.stop();
      expect(await problemsIn(placeAt(path))).toEqual([]);
    }
  });

  it('is no command: one that reads for long lets a server start, and stop', async () => {
    const { token, server: filling } = await servePrepared(placeAt(file));
    for (let n = 0; n < 4; n += 1) {
      expect((await filling.client(token).post('files', upload(`${n}`, 16))).status).toBe(201);
    }
    await filling.stop();
    const backup = join(folder, 'backup.db');
    const command = startCommand(['db', 'backup', backup], urlOf(file));
    // In the middle of its copy.
    await expect.poll(() => sizeOf(`${backup}.unfinished`), { interval: 1 }).toBeGreaterThan(1_000_000);
    command.process.kill('SIGSTOP');
    expect(existsSync(backup)).toBe(false);
    const first = await serveHere(urlOf(file));
    expect((await first.client(token).post('groups', { name: 'beside' })).status).toBe(201);
    await first.stop();
    command.process.kill('SIGCONT');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    const next = await serveHere(urlOf(file));
    expect((await next.client(token).post('groups', { name: 'after' })).status).toBe(201);
    await next.stop();
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  itUnless(lacking.otherUser() ?? (isRoot ? null : 'this user has no other users'))(
    'cannot be kept from starting by another user: they cannot hold the lock, the database or what is beside it',
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
