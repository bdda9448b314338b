/** Nodes as processes of the built program on one PostgreSQL database. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../../dist/boot.js', import.meta.url));
const SECRET = 'a secret for tests only: 0123456789abcdef';
const LISTENS = /listens on (http\S+)/;

/** A node that listens, or a process that has ended instead: then `url` is empty. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  readonly code: () => number | null;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export async function startNode(databaseUrl: string): Promise<ServerProcess> {
  const env = { DATABASE_URL: databaseUrl, TOKEN_SECRET: SECRET, PORT: '0', RATE_LIMIT_PER_HOUR: '0' };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { PATH: process.env.PATH, ...env },
    cwd: mkdtempSync(join(inject('scratch'), 'node-')),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close');
  const url = await new Promise<string>((resolve) => {
    const note = (bytes: Buffer): void => {
      output += bytes.toString();
      const found = LISTENS.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    void ended.then(() => resolve(''));
  });
  return {
    ...{ child, url, output: () => output, code: () => child.exitCode },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
