/** What the tests can do on this machine: tools, mounts and users that some of them need. */
import { execFileSync, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, it } from 'vitest';

import { PROGRAM, type ProgramOptions } from '../support/program.js';

/** Runs a tool of the system to its end; throws where it fails. */
export function runTool(tool: string, ...args: string[]): void {
  execFileSync(tool, args, { stdio: 'ignore' });
}

export function startTool(tool: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(tool, args);
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Null if the command works; otherwise the reason to skip a test. */
function lacks(what: string, works: boolean): string | null {
  return works ? null : `this machine has no ${what}`;
}

const ATTACH = 'strace -qq -o /dev/null';
export const isRoot = process.getuid?.() === 0;

/** Starts a command as a user without rights, whom the modes of files keep out; they do not keep out root. */
export const AS_NOBODY: readonly [string, ...string[]] = isRoot
  ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'env']
  : ['env'];

function canMount(): boolean {
  const probe = join(inject('scratch'), 'mount-probe');
  mkdirSync(probe, { recursive: true });
  return succeeds('mount', '-t', 'tmpfs', 'tmpfs', probe) && succeeds('umount', probe);
}

export const lacking = {
  mount: () => lacks('right to mount', canMount()),
  loop: () =>
    lacks(
      'loop devices, mkfs.ext4 or right to mount them',
      succeeds('mkfs.ext4', '-V') && succeeds('losetup', '-f') && canMount(),
    ),
  strace: () =>
    lacks('strace, or lets it look at no process', succeeds('sh', '-c', `sleep 0.2 & exec ${ATTACH} -p $!`)),
  compiler: () =>
    lacks('C compiler, or is not Linux', process.platform === 'linux' && succeeds('cc', '--version')),
  limits: () => lacks('prlimit', succeeds('prlimit', '--version')),
  otherUser: () =>
    lacks('other user who may run this program', succeeds(...AS_NOBODY, 'test', '-r', PROGRAM)),
} as const;

/** Defines a test that is skipped if a reason is given; the reason is printed at the end of the run. */
export function itUnless(reason: string | null): (name: string, test: () => Promise<void>) => void {
  return (name, test) => {
    it(name, async (context) => {
      if (reason !== null) context.skip(reason);
      await test();
    });
  };
}

/** The number of an error, or the end of the process before or after the call. */
export type FaultAction = number | 'kill' | 'kill-after';

/** Storage that does as it is told; for programs started with `options`. */
export interface FaultyStorage {
  readonly options: ProgramOptions;
  /** From now on, to every so many writes or syncs of the database and what stands beside it. */
  fail(call: 'write' | 'sync', action: FaultAction, how?: { every?: number; files?: string }): void;
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

/** A small file system of its own. */
export function mountSmall(folder: string, megabytes: number): { readonly unmount: () => void } {
  mkdirSync(folder, { recursive: true });
  runTool('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  return { unmount: () => runTool('umount', '-l', folder) };
}

/** Starts a program with a limit of the shell's, for instance `-f 4000`. */
export function limited(limit: string): ProgramOptions {
  return { through: ['bash', '-c', `ulimit ${limit}; exec "$@"`, 'bash'] };
}
