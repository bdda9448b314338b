/** Tools for tests that need more than Node: mounts, a C compiler, other users. Tests are skipped without them. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, inject, it } from 'vitest';

import { fileForm, type Client } from '../support/client.js';
import { newDatabase, type TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { killPrograms, PROGRAM, serveHere, startProgram, type ProgramOptions } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

export interface Scratch {
  readonly folder: string;
  /** Path of a database that does not exist yet. */
  readonly file: string;
}

/** Gives each test of the calling file an empty folder; afterwards ends the programs and servers that it left running. */
export function useScratchFolder(use: (scratch: Scratch) => void): void {
  let folder = '';
  beforeEach(() => {
    folder = scratchFolder();
    use({ folder, file: join(folder, 'gateway.db') });
  });
  afterEach(async () => {
    await killPrograms();
    removeFolder(folder);
  });
}

export interface Given {
  readonly folder: string;
  /** An empty database. */
  readonly place: TestPlace;
}

/** Gives each test of the calling file a database; afterwards ends the programs and servers that it left running. */
export function useDatabase(use: (given: Given) => void): void {
  let folder = '';
  let place: TestPlace | undefined;
  beforeEach(async () => {
    folder = scratchFolder();
    place = await newDatabase({ folder });
    use({ folder, place });
  });
  afterEach(async () => {
    await killPrograms();
    await place?.remove();
    removeFolder(folder);
  });
}

/** Prepares a database, and starts the built program on it. */
export async function startPrepared(place: TestPlace, options?: ProgramOptions) {
  const prepared = await prepareDatabase(place);
  const program = await startProgram(place.url, options);
  return { ...prepared, program, client: program.client(prepared.token) };
}

/** Prepares a database with the records that `fill` creates, and starts a server of this process on it. */
export async function servePrepared(place: TestPlace, fill?: Parameters<typeof prepareDatabase>[1]) {
  const prepared = await prepareDatabase(place, fill);
  const server = await serveHere(place.url);
  return { ...prepared, server, client: server.client(prepared.token) };
}

/** Runs a command to its end. Errors: an `Error` if it fails. */
export function runTool(tool: string, ...args: string[]): void {
  execFileSync(tool, args, { stdio: 'ignore' });
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Null if the machine has it, otherwise the reason to skip a test. */
function missing(what: string, isPresent: boolean): string | null {
  return isPresent ? null : `this machine has no ${what}`;
}

export const isRoot = process.getuid?.() === 0;

/** Prefix that runs a command as a user without privileges, since file modes do not restrict root. */
export const AS_NOBODY: readonly [string, ...string[]] = isRoot
  ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'env']
  : ['env'];

function canMount(): boolean {
  const probe = join(inject('scratch'), 'mount-probe');
  mkdirSync(probe, { recursive: true });
  return succeeds('mount', '-t', 'tmpfs', 'tmpfs', probe) && succeeds('umount', probe);
}

export const lacking = {
  mount: () => missing('permission to mount', canMount()),
  loop: () =>
    missing(
      'loop devices, mkfs.ext4 or permission to mount them',
      succeeds('mkfs.ext4', '-V') && succeeds('losetup', '-f') && canMount(),
    ),
  compiler: () =>
    missing('C compiler, or is not Linux', process.platform === 'linux' && succeeds('cc', '--version')),
  limits: () => missing('prlimit', succeeds('prlimit', '--version')),
  otherUser: () =>
    missing('other user who can run this program', succeeds(...AS_NOBODY, 'test', '-r', PROGRAM)),
} as const;

/** A reason to skip tests that read the memory of a process. */
export const noProc = existsSync('/proc/self/status') ? null : 'this machine has no /proc';

/** Bytes of memory that a process uses now (`VmRSS`), or has used at most (`VmHWM`). */
export function memoryOf({ pid }: { readonly pid: number }, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** Defines a test that is skipped if a reason is given; the reason is printed at the end of the run. */
export function itUnless(reason: string | null): (name: string, test: () => Promise<void>) => void {
  return (name, test) => {
    it(name, async (context) => {
      if (reason !== null) context.skip(reason);
      await test();
    });
  };
}

/** An errno, or SIGKILL of the process before or after the call. */
export type FaultAction = number | 'kill' | 'kill-after';

/** Makes system calls of programs started with `options` fail on demand. */
export interface FaultyStorage {
  readonly options: ProgramOptions;
  /** From now on, every n-th write or sync of the matching files fails; by default each one, of all database files. */
  fail(call: 'write' | 'sync', action: FaultAction, how?: { every?: number; files?: string }): void;
  /** Ends the failures. */
  heal(): void;
}

export function faultyStorage(folder: string): FaultyStorage {
  const library = join(inject('scratch'), `faulty-storage-${process.pid}.so`);
  const control = join(folder, 'faults');
  const source = fileURLToPath(new URL('faulty-storage.c', import.meta.url));
  if (!existsSync(library)) runTool('cc', '-shared', '-fPIC', '-O1', '-o', library, source, '-ldl');
  return {
    options: { environment: { LD_PRELOAD: library, FAULTY_CONTROL: control } },
    fail: (call, action, { every = 1, files = 'gateway.db*' } = {}) =>
      writeFileSync(control, `${call} ${action} ${every} ${files}\n`),
    heal: () => rmSync(control, { force: true }),
  };
}

/** Mounts a file system in memory of this size; returns a function that unmounts it. */
export function mountSmall(folder: string, megabytes: number): () => void {
  mkdirSync(folder, { recursive: true });
  runTool('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  return () => runTool('umount', '-l', folder);
}

/** Mounts a file system of this size in a folder while `use` runs, and ends the programs and servers left on it. */
export async function onSmallDisk(
  folder: string,
  megabytes: number,
  use: (mounted: string) => Promise<void>,
): Promise<void> {
  const small = join(folder, 'small');
  const unmount = mountSmall(small, megabytes);
  try {
    await use(small);
  } finally {
    await killPrograms();
    unmount();
  }
}

/** Options that start a program under `ulimit`, for example `-f 4000`: files of at most 4,000 KiB. */
export function limited(limit: string): ProgramOptions {
  return { through: ['bash', '-c', `ulimit ${limit}; exec "$@"`, 'bash'] };
}

export const MEGABYTE = 1024 * 1024;

/** A multipart body with a file of this size. */
export const upload = (name: string, megabytes = 1): FormData =>
  fileForm(name, Buffer.alloc(megabytes * MEGABYTE, name), {}, 'asset');

/** Names of all records of a list. */
export async function namesOf(client: Client, resource: string): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await client.get(resource, undefined, { query: { page, per_page: 100 } });
    const list = reply.list(resource);
    names.push(...list.map((fields) => String(fields.name)));
    if (list.length < 100) return names;
  }
}

/** Writes a file until a mounted disk has not one byte left; returns its path. */
export function fillDisk(mounted: string): string {
  const filler = join(mounted, 'filler');
  const descriptor = openSync(filler, 'w');
  for (let size = MEGABYTE; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(size, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  closeSync(descriptor);
  return filler;
}
