import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { COMPILE_CACHE, PROGRAM } from '../../support/program.js';
import { leaks, type Problem, type Secrets } from './checks.js';

/** The server under attack, in a process of its own. */
export interface Target {
  readonly url: string;
  /** Null while it runs. */
  readonly end: () => string | null;
  stop(): Promise<void>;
}

const LISTENS = /listens on (http\S+)/;
const LISTENING = /listens on|^$/;

/** Starts the built program; calls `report` for each line of its log that should not be there. */
export async function startTarget(
  file: string,
  secrets: Secrets,
  report: (problem: Problem) => void,
): Promise<Target> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: `file:${file}`,
      PORT: '0',
      RATE_LIMIT_PER_HOUR: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let end: string | null = null;
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    end = `code ${String(code)}, signal ${String(signal)}`;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    for (const problem of logProblems(line, secrets)) report(problem);
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const match = LISTENS.exec(line)?.[1];
      if (match !== undefined) resolve(match);
      else if (!LISTENING.test(line)) report({ kind: 'output besides the log', detail: line.slice(0, 400) });
    });
    void ended.then(() => reject(new Error('The server ended at its start')));
  });
  return {
    url,
    end: () => end,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const NOBODY = { sender: { label: 'log', company: null, token: null } } as const;

function logProblems(line: string, secrets: Secrets): Problem[] {
  const fields = parsedLine(line);
  if (fields === null) return [{ kind: 'a log line that is not JSON', detail: line.slice(0, 400) }];
  const { level, status } = fields;
  const isFault = (level === 'error' || level === 'fatal') && status !== 503;
  // A fault is reported with its stack, which is where it belongs.
  if (isFault) return [{ kind: 'a fault in the log', detail: line.slice(0, 1_500) }];
  return leaks(NOBODY, line, '', secrets).map(({ kind, detail }) => ({ kind: `${kind} in the log`, detail }));
}

function parsedLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}
