import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

import { createServer, type ServerOverrides } from '../../src/app/server.js';
import { failureOf } from '../../src/cli/command-error.js';
import { createCommandIo } from '../../src/cli/command-io.js';
import { runCommandLine } from '../../src/cli/program.js';
import { createServerProcess } from '../../src/cli/run-server.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createLogger } from '../../src/platform/logger.js';
import { createClient, type Client, type Fields } from './client.js';
import { testClock } from './clock.js';
import { databaseEnvironment } from './config.js';
import { newDatabase, type TestPlace } from './databases/place.js';
import { prepareDatabaseWithUser } from './prepared-database.js';
import { removeFolder, scratchFolder } from './scratch.js';

/** The built program; the global setup of the tests builds it when a source is newer. */
export const PROGRAM = fileURLToPath(new URL('../../dist/boot.js', import.meta.url));

/** Where Node keeps the compiled code of the program: a start takes a fifth less time with it. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/program', import.meta.url));

type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built program in a process of its own. */
export interface Started {
  readonly process: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Output so far: of one stream, or of both in the order of writing. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly output: () => string;
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** A server that listens. */
export interface Program extends Started {
  readonly url: string;
  client(token: string | null): Client;
}

export interface ProgramOptions {
  readonly environment?: Environment;
  /** A command that the program is started through, which replaces itself with it, as `nice` does. */
  readonly through?: readonly string[];
  /** The command that starts the server; `serve` unless given. */
  readonly args?: readonly string[];
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Path of another build than that in dist/. */
  readonly program?: string;
  /** Path of another Node than the one that runs the tests. */
  readonly node?: string;
  /** Standard input, whole. */
  readonly input?: string;
  /** Matches the output once the server has started, with its URL; once it serves requests unless given. */
  readonly started?: RegExp;
}

const LISTENS = /listens on (http\S+)/;
const running = new Map<ChildProcess, Promise<Ended>>();

/** Starts the server on a database, of which this is the `DATABASE_URL`; rejects with its output if it ends before it listens. */
export async function startProgram(url: string, options: ProgramOptions = {}): Promise<Program> {
  const { args = ['serve'], started = LISTENS } = options;
  const program = startCommand(args, url, options);
  const address = await addressOf(program, started);
  return { ...program, url: address, client: (token) => createClient(address, token) };
}

/** The URL in the output once the program listens. Rejects with the output if it ends before. */
export async function addressOf(program: Started, started = LISTENS): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const match = started.exec(program.output());
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    program.process.stdout.on('data', look);
    program.process.stderr.on('data', look);
    program.ended.then(({ code, signal }) => {
      const how = code ?? signal ?? 'nothing';
      reject(new Error(`It ended with ${how} instead of listening:\n${program.output()}`));
    }, reject);
  });
}

/** Runs one command of the built program to its end, in a process of its own. */
export async function runProgram(
  args: readonly string[],
  url: string,
  options: ProgramOptions = {},
): Promise<Outcome & Ended> {
  const { ended, output, stdout, stderr } = startCommand(args, url, options);
  const { code, signal } = await ended;
  return { ...outcomeOf(code, stdout(), stderr()), signal, output: output() };
}

/**
 * Runs one command on a database in this process, without loading the program anew. `serve` must be refused: an `Error` if
 * it would start.
 */
export async function runCommand(args: readonly string[], url: string, settings = {}): Promise<Outcome> {
  return await runHere(args, { ...databaseEnvironment(url), PORT: '0', ...settings }, '');
}

/** Runs one command in this process: the same code, without loading it anew for each command. */
async function runHere(args: readonly string[], environment: Environment, input: string): Promise<Outcome> {
  const removeListeners = watchListeners();
  try {
    if (args.length === 1 && args[0] === 'serve') return await refusedServe(environment);
    const [stdout, stderr] = [collect(), collect()];
    const streams = { stdin: Readable.from([input]), stdout: stdout.stream, stderr: stderr.stream };
    const code = await runCommandLine(args, createCommandIo(environment, 'terminal-gateway', streams));
    return outcomeOf(code, stdout.text(), stderr.text());
  } finally {
    removeListeners();
  }
}

/** Does what `serve` does until it listens, which must fail. */
async function refusedServe(environment: Environment): Promise<Outcome> {
  try {
    const config = readConfig({ ...environment, LOG_LEVEL: 'silent' });
    const { server } = await createServerProcess(config, { waitsForDatabase: true });
    await server.stop(STOP_MS);
  } catch (error) {
    const { exitCode, lines } = failureOf(error);
    return outcomeOf(exitCode, '', lines.map((line) => `${line}\n`).join(''));
  }
  throw new Error('The server would start.');
}

/** Events that some commands listen for until the end of their process. */
const PROCESS_EVENTS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'error', 'uncaughtException'] as const;

/** Returns a function that removes the listeners of this process that were added since. */
function watchListeners(): () => void {
  const events: EventEmitter = process;
  const before = PROCESS_EVENTS.map((event) => [event, new Set(events.rawListeners(event))] as const);
  return () => {
    for (const [event, known] of before) {
      for (const listener of events.rawListeners(event)) {
        if (!known.has(listener)) events.off(event, listener as () => void);
      }
    }
  };
}

/** Milliseconds that requests in flight may take when a server in the process of the test stops. */
const STOP_MS = 1_000;
const serving = new Set<{ readonly stop: () => Promise<void> }>();

/** Starts a server in this process, with the settings of `serve`; `killPrograms` stops it. */
export async function serveHere(
  url: string,
  settings: Environment = {},
  overrides: Pick<ServerOverrides, 'acceptCopy' | 'acceptLoss' | 'onFatal'> = {},
) {
  const given = { ...databaseEnvironment(url), PORT: '0', RATE_LIMIT_PER_HOUR: '0', ...settings };
  const config = readConfig(given);
  let log = '';
  const logger = createLogger(config.logLevel, { write: (line) => void (log += line) });
  const clock = testClock();
  const server = await createServer(config, logger, { clock, ...overrides });
  const address = await server.start();
  const here = {
    url: address,
    clock,
    /** Lines of its log so far. */
    output: () => log,
    client: (token: string | null) => createClient(address, token),
    stop: async (): Promise<void> => {
      if (serving.delete(here)) await server.stop(STOP_MS);
    },
  };
  serving.add(here);
  return here;
}

function collect(): { readonly stream: Writable; text(): string } {
  let text = '';
  const write = (chunk: Buffer, _encoding: unknown, done: () => void): void => {
    text += chunk.toString();
    done();
  };
  return { stream: new Writable({ write }), text: () => text };
}

export type Outcome = ReturnType<typeof outcomeOf>;

/** Output and exit code of a command. */
function outcomeOf(code: number | null, stdout: string, stderr: string) {
  const lines = stdout.trimEnd().split('\n');
  const json = (): unknown => JSON.parse(lines.at(-1) ?? '');
  const object = (): Fields => json() as Fields;
  return {
    code,
    stdout,
    stderr,
    /** Both. */
    output: stdout + stderr,
    lines,
    /** The last line of the output, read as a JSON object. */
    object,
    /** The last line of the output, read as a JSON list. */
    list: () => json() as Fields[],
    /** The API token in the last line. */
    token: () => String(object().api_token),
  };
}

/** Kills every program that still runs, whatever its state, and stops every server of this process. */
export async function killPrograms(): Promise<void> {
  await Promise.all([
    ...[...running].map(async ([child, ended]) => {
      child.kill('SIGKILL');
      await ended;
    }),
    ...[...serving].map((server) => server.stop()),
  ]);
}

/** Starts one command of the built program in a process of its own; without a URL, with no settings of a database. */
export function startCommand(
  args: readonly string[],
  url: string | null,
  options: ProgramOptions = {},
): Started {
  if (!existsSync(PROGRAM)) throw new Error('There is no dist/. Run npm run build.');
  const { environment = {}, through = [], nodeOptions = [], node = process.execPath, input = '' } = options;
  const [command = '', ...rest] = [...through, node, ...nodeOptions, options.program ?? PROGRAM, ...args];
  const child = spawn(command, rest, {
    env: {
      PATH: process.env.PATH,
      ...(url === null ? {} : databaseEnvironment(url)),
      PORT: '0',
      RATE_LIMIT_PER_HOUR: '0',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends without reading its input closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const text = { stdout: '', stderr: '', output: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (bytes: Buffer) => {
      text[name] += bytes.toString();
      text.output += bytes.toString();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    // `close` comes after the last output; `exit` may come before it.
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  running.set(child, ended);
  return {
    process: child,
    pid: child.pid ?? 0,
    ended,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    output: () => text.output,
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

/** The command line on one database, with the settings of its environment. */
export interface CommandLine {
  /** For the files of the test. */
  readonly folder: string;
  readonly place: TestPlace;
  /** Runs one command to its end, in this process; a text is its words. `serve` must be refused: an `Error` if it would start. */
  run(args: readonly string[] | string, input?: string): Promise<Outcome>;
  /** Starts a server in this process. */
  serve(settings?: Environment): ReturnType<typeof serveHere>;
  /** Starts a server in a process of its own, and waits until it listens. */
  start(settings?: Environment): Promise<Program>;
  /** Command line with additional settings. */
  with(settings: Environment): CommandLine;
}

/** In a folder that is removed after the test; the database has no tables yet. */
export const commandLine = (): Promise<CommandLine> => commandLineOn({ isMigrated: false });

/** Like `commandLine`, on a migrated database with the user that the command of `userAdd` creates. */
export async function commandLineWithUser(): Promise<{ cli: CommandLine; token: string }> {
  const cli = await commandLineOn({ isMigrated: true });
  return { cli, token: await prepareDatabaseWithUser(cli.place, GOOD_PASSWORD) };
}

async function commandLineOn({ isMigrated }: { readonly isMigrated: boolean }): Promise<CommandLine> {
  const folder = scratchFolder();
  const place = await newDatabase({ isMigrated, folder });
  onTestFinished(async () => {
    await killPrograms();
    await place.remove();
    removeFolder(folder);
  });
  return commandLineWith({ folder, place }, { ...databaseEnvironment(place.url), PORT: '0' });
}

function commandLineWith(on: Pick<CommandLine, 'folder' | 'place'>, environment: Environment): CommandLine {
  const { url } = on.place;
  return {
    ...on,
    with: (settings) => commandLineWith(on, { ...environment, ...settings }),
    run: (args, input = '') => runHere(typeof args === 'string' ? args.split(' ') : args, environment, input),
    serve: (settings = {}) => serveHere(url, { ...environment, ...settings }),
    start: (settings = {}) => startProgram(url, { environment: { ...environment, ...settings } }),
  };
}

export const GOOD_PASSWORD = 'correct horse battery staple';

/** The arguments that add a user. */
export function userAdd(
  { company = 'Acme', email = 'ana@acme.example', role = 'admin' } = {},
  ...more: string[]
): string[] {
  const user = ['--company', company, '--email', email, '--name', 'Ana Souza', '--role', role];
  return ['user', 'add', ...user, '--password-stdin', ...more];
}
