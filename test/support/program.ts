import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { openDatabase } from '../../src/database/open.js';
import { createUnits, type WriteWork } from '../../src/database/work.js';
import { SCOPES } from '../../src/platform/caller.js';
import { systemClock } from '../../src/platform/clock.js';
import { createNamedToken } from '../../src/resources/access-token/access-token.service.js';
import { ensureCompany } from '../../src/resources/company/company.service.js';
import { addUser } from '../../src/resources/user/user.service.js';
import { createClient, type Client } from './client.js';

/** As it is installed: `npm run build` makes it. */
export const PROGRAM = fileURLToPath(new URL('../../dist/boot.js', import.meta.url));
const SYSTEM = { channel: 'api', ip: null, requestId: null } as const;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The program as it is installed, running in a process of its own. */
export interface Program {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly url: string;
  /** What it has said so far, on both streams. */
  output(): string;
  client(token: string | null): Client;
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** A command that the program is started through, which replaces itself with it, as `nice` does. */
  readonly through?: readonly string[];
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
}

const LISTENS = /listens on (http\S+)/;
const running = new Map<ChildProcess, Promise<Ended>>();

/** Starts the server on a database file; rejects, with what it said, where it ends instead of listening. */
export async function startProgram(file: string, options: ProgramOptions = {}): Promise<Program> {
  const started = launch(['serve'], file, options);
  const { child, ended, output } = started;
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', () => {
      const match = LISTENS.exec(output());
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    void ended.then(({ code, signal }) => {
      reject(new Error(`It ended with ${code ?? signal ?? 'nothing'} instead of listening:\n${output()}`));
    });
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    url,
    output,
    ended,
    client: (token) => createClient(url, token),
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

/** Runs a command of the program to its end. */
export async function runProgram(
  args: readonly string[],
  file: string,
  options: ProgramOptions = {},
): Promise<Ended & { readonly output: string }> {
  const { ended, output } = launch(args, file, options);
  return { ...(await ended), output: output() };
}

/** Ends what is still running, whatever state it is in. */
export async function killPrograms(): Promise<void> {
  await Promise.all(
    [...running].map(async ([child, ended]) => {
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

function launch(args: readonly string[], file: string, options: ProgramOptions) {
  if (!existsSync(PROGRAM)) throw new Error('There is no dist/: build first, with npm run build.');
  const { environment = {}, through = [], nodeOptions = [] } = options;
  const [command = '', ...rest] = [...through, process.execPath, ...nodeOptions, PROGRAM, ...args];
  const child = spawn(command, rest, {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `file:${file}`,
      PORT: '0',
      RATE_LIMIT_PER_HOUR: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    // With its streams: nothing that it said is missed.
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  running.set(child, ended);
  return { child, ended, output: () => said };
}

export interface Prepared {
  readonly token: string;
  readonly companyId: number;
}

/** A migrated database with one company, what `fill` puts into it, and a token of its admin. */
export async function prepareDatabase(
  file: string,
  fill: (work: WriteWork) => Promise<void> = () => Promise.resolve(),
): Promise<Prepared> {
  const database = await openDatabase(file);
  const units = createUnits(database, systemClock);
  try {
    const { secret, ...member } = await units.systemWrite(SYSTEM, async (work) => {
      const company = await ensureCompany(work, { name: 'Acme Pagamentos' });
      const identity = { email: 'admin@acme.example', name: 'Admin', role: 'admin' };
      const user = await addUser(work, company, identity, 'no password');
      const ids = { companyId: company.id, userId: user.id };
      const { token, secret } = await createNamedToken(work, ids, { name: 'faults', scopes: SCOPES });
      return { ...ids, tokenId: token.id, secret };
    });
    const caller = { ...member, role: 'admin', scopes: SCOPES, timeZone: 'UTC', ...SYSTEM } as const;
    await units.write(caller, fill);
    return { token: secret, companyId: member.companyId };
  } finally {
    await database.close();
  }
}
