import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

import { connect } from '../../src/database/open.js';
import { createUnits } from '../../src/database/work.js';
import { systemClock } from '../../src/platform/clock.js';
import { loadTokenSecret } from '../../src/platform/config/token-secret.js';
import { ensureDerivedTokens } from '../../src/resources/access-token/derived-token.service.js';
import { ensureCompany } from '../../src/resources/company/company.service.js';
import { createPasswords } from '../../src/resources/user/password.service.js';
import { addUser } from '../../src/resources/user/user.service.js';
import type { Fields } from './client.js';
import { databaseFile, removeFolder, scratchFolder } from './database.js';
import { SYSTEM } from './server.js';

/** The program as it is installed: `npm run build` makes it. */
export const PROGRAM = new URL('../../dist/boot.js', import.meta.url).pathname;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly string[];
  /** The last line of the output, read as a JSON object. */
  object(): Fields;
  /** The same, where it is a list. */
  list(): Fields[];
  /** The API token in it. */
  token(): string;
}

export interface CommandLine {
  readonly folder: string;
  readonly file: string;
  /** Runs one command to its end. */
  run(args: readonly string[], input?: string): Promise<Outcome>;
  /** Starts a server and waits until it listens. */
  serve(settings?: Settings): Promise<RunningServer>;
  /** The same settings, with some others. */
  with(settings: Settings): CommandLine;
}

type Settings = Readonly<Record<string, string>>;

export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly stdout: () => string;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** The program, in a folder that goes with the test; there is no database yet. */
export function commandLine(): CommandLine {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'gateway.db');
  return create(folder, file, { DATABASE_URL: `file:${file}`, PORT: '0' });
}

/** The same, on a database where `userAdd` has been done. */
export async function commandLineWithUser(): Promise<{ cli: CommandLine; token: string }> {
  const cli = commandLine();
  const database = connect(databaseFile(cli.folder));
  const secret = loadTokenSecret({ databaseFile: cli.file, tokenSecret: null });
  const hash = await createPasswords().hash(GOOD_PASSWORD);
  const token = await createUnits(database, systemClock).systemWrite(SYSTEM, async (work) => {
    const company = await ensureCompany(work, { name: 'Acme' });
    const input = { email: 'ana@acme.example', name: 'Ana Souza', role: 'admin' };
    const user = await addUser(work, company, input, hash);
    const of = { userId: user.id, companyIds: [company.id] };
    return (await ensureDerivedTokens(work, secret, of)).get(company.id) ?? '';
  });
  await database.close();
  return { cli, token };
}

function create(folder: string, file: string, environment: Settings): CommandLine {
  return {
    folder,
    file,
    with: (settings) => create(folder, file, { ...environment, ...settings }),
    run: (args, input = '') => run(process.execPath, [PROGRAM, ...args], environment, input),
    serve: (settings = {}) => serve({ ...environment, ...settings }),
  };
}

export async function run(
  node: string,
  args: readonly string[],
  environment: Settings,
  input = '',
): Promise<Outcome> {
  const child = spawn(node, args, { env: environment });
  const output = collect(child);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  const { stdout, stderr } = { stdout: output.stdout(), stderr: output.stderr() };
  const lines = stdout.trimEnd().split('\n');
  const json = (): unknown => JSON.parse(lines.at(-1) ?? '');
  const object = (): Fields => json() as Fields;
  return {
    code,
    stdout,
    stderr,
    lines,
    object,
    list: () => json() as Fields[],
    token: () => String(object().api_token),
  };
}

function collect(child: ChildProcess) {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return { stdout: () => stdout, stderr: () => stderr };
}

async function serve(environment: Settings): Promise<RunningServer> {
  return await startServing(process.execPath, environment);
}

export async function startServing(node: string, environment: Settings): Promise<RunningServer> {
  const child = spawn(node, [PROGRAM, 'serve'], { env: environment });
  const output = collect(child);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await ended;
  });
  const listening = async (): Promise<string> => {
    for (;;) {
      const url = /listens on (\S+)/.exec(output.stderr())?.[1];
      if (url !== undefined) return url;
      await once(child.stderr, 'data');
    }
  };
  const failed = ended.then(([code]) => {
    throw new Error(`the server ended with ${code ?? 'a signal'}: ${output.stderr()}`);
  });
  const url = await Promise.race([listening(), failed]);
  failed.catch(() => undefined);
  return {
    url,
    child,
    ...output,
    end: async (signal) => {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}

export const GOOD_PASSWORD = 'correct horse battery staple';

/** The arguments that add a user. */
export function userAdd(
  { company = 'Acme', email = 'ana@acme.example', role = 'admin' } = {},
  ...more: string[]
): string[] {
  const who = ['--company', company, '--email', email, '--name', 'Ana Souza', '--role', role];
  return ['user', 'add', ...who, '--password-stdin', ...more];
}
