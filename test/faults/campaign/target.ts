import { createInterface } from 'node:readline';

import { addressOf, startCommand } from '../../support/program.js';
import { leaks, type Problem, type Secrets } from './checks.js';

const LISTENING = /listens on|^$/;

export type Target = Awaited<ReturnType<typeof startTarget>>;

/** Starts the server under attack in a process of its own; calls `report` for each line of its log that should not be there. */
export async function startTarget(file: string, secrets: Secrets, report: (problem: Problem) => void) {
  const program = startCommand(['serve'], `file:${file}`);
  let end: string | null = null;
  void program.ended.then(({ code, signal }) => (end = `code ${code}, signal ${signal}`));
  createInterface({ input: program.process.stdout }).on('line', (line) => {
    for (const problem of logProblems(line, secrets)) report(problem);
  });
  createInterface({ input: program.process.stderr }).on('line', (line) => {
    if (!LISTENING.test(line)) report({ kind: 'output besides the log', detail: line.slice(0, 400) });
  });
  return {
    url: await addressOf(program),
    /** Null while it runs. */
    end: () => end,
    stop: async () => void (await program.end('SIGTERM')),
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
