import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';

import { COMPILE_CACHE, PROGRAM } from './program.js';
import { waitFor } from './wait-for.js';

export interface StartedDemo {
  readonly child: ChildProcess;
  /** Output of the program so far. */
  readonly output: () => string;
}

/** Starts the command `demo` of the built program on a free port. */
export function launchDemo(...options: string[]): StartedDemo {
  const child = spawn(process.execPath, [PROGRAM, 'demo', '--port', '0', ...options], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** Waits until the demo listens and has written everything. */
export async function demoIsReady({ output }: StartedDemo): Promise<void> {
  await waitFor(() => expect(output()).toContain('Ctrl-C stops the demo.'), { interval: 50 });
}

/** Kills the demo if it still runs. */
export async function killDemo({ child }: StartedDemo): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Stops the demo as its user would; resolves to its exit code. */
export async function stopDemo({ child }: StartedDemo, signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown> {
  child.kill(signal);
  const [code] = (await once(child, 'exit')) as unknown[];
  return code;
}
