import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { graphql, rest, send } from '../../bench/requests.js';
import { freePort } from '../free-port.js';
import { startProgram, type Program } from '../program.js';

const RECORD = `mutation ($input: TransactionInput!) {
  transactionRecord(input: $input) { transaction { id } userErrors { code message } } }`;

const CLIENTS = 6;
/** How often locks are looked at, and how long clients go on before and after each step. */
const LOOK_MS = 100;
const STEP_MS = 2_000;

export interface RollingOptions {
  /** `DATABASE_URL` of PostgreSQL. */
  readonly url: string;
  readonly token: string;
  readonly serialNumber: string;
  /** Path of the next version's program. */
  readonly next: string;
  /** The first row of a query, as a user who sees all rows. */
  readonly first: (query: string) => Promise<Readonly<Record<string, unknown>>>;
}

export type Rolling = Awaited<ReturnType<typeof rollForthAndBack>>;

/**
 * Upgrades two nodes to the next version and back, one after the other, while clients read and record payments; kills the
 * one of this version when the next one has changed the tables, and starts it again.
 */
export async function rollForthAndBack({ url, token, serialNumber, next, first }: RollingOptions) {
  const ports = [await freePort(), await freePort()];
  const start = async (index: number, program?: string): Promise<Program> => {
    const environment = { PORT: String(ports[index]) };
    return await startProgram(url, { environment, ...(program !== undefined && { program }) });
  };
  const nodes = [await start(0), await start(1)];
  const load = new Load(token, serialNumber);
  load.open = nodes.map((node) => node.url);
  const watching = new LockWatch(first);
  const replace = async (index: number, signal: 'SIGTERM' | 'SIGKILL', program?: string): Promise<number> => {
    load.open = nodes.filter((_, each) => each !== index).map((node) => node.url);
    // Requests in progress end first, as behind a proxy.
    await sleep(STEP_MS / 2);
    const begun = performance.now();
    await nodes[index]?.end(signal);
    nodes[index] = await start(index, program);
    const seconds = (performance.now() - begun) / 1_000;
    load.open = nodes.map((node) => node.url);
    await sleep(STEP_MS);
    return seconds;
  };
  const LOG = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes";
  try {
    await sleep(STEP_MS);
    const before = Number((await first(LOG)).bytes);
    const upgrade = await replace(0, 'SIGTERM', next);
    const logBytes = Number((await first(LOG)).bytes) - before;
    await replace(1, 'SIGKILL');
    await replace(1, 'SIGTERM', next);
    const back = (await replace(0, 'SIGTERM')) + (await replace(1, 'SIGTERM'));
    await load.end();
    const longestWait = await watching.end();
    return { ...load.figures, upgradeSeconds: upgrade, backSeconds: back, logBytes, longestWait };
  } finally {
    await load.end();
    await watching.end();
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  }
}

/** Clients that send requests to the nodes that are open; each request that is cut counts as a failure. */
class Load {
  open: readonly string[] = [];
  readonly figures = { requests: 0, recorded: 0, longestMs: 0, failures: [] as string[] };
  readonly #agent = new Agent({ keepAlive: false });
  readonly #clients: Promise<unknown>;
  #isOver = false;

  constructor(
    private readonly token: string,
    private readonly serialNumber: string,
  ) {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, n) => this.#use(n)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #use(client: number): Promise<void> {
    for (let n = client; !this.#isOver; n += 1) {
      const url = this.open[n % Math.max(1, this.open.length)];
      if (url === undefined) {
        await sleep(LOOK_MS);
        continue;
      }
      const request = [
        graphql(this.token, RECORD, { input: this.#payment() }),
        rest(this.token, 'GET', 'transactions?per_page=20'),
        rest(this.token, 'POST', 'groups', { name: randomUUID() }),
        rest(this.token, 'GET', 'devices?per_page=20'),
      ][n % 4];
      if (request === undefined) return;
      const { result, milliseconds, text } = await send(url, request, this.#agent);
      const { figures } = this;
      figures.requests += 1;
      figures.longestMs = Math.max(figures.longestMs, milliseconds);
      if (n % 4 === 0 && result === '200') figures.recorded += 1;
      if (!/^20[01]$/.test(result))
        figures.failures.push(`${request.method} ${request.path}: ${result} ${text}`);
    }
  }

  #payment(): object {
    return {
      transactionType: 'SWITCH',
      serialNumber: this.serialNumber,
      logicalNumber: '1',
      appName: 'sale.rb',
      status: 'SUCCESS',
      startedAt: new Date().toISOString(),
      finishedAt: new Date().toISOString(),
    };
  }
}

/** Modes in which requests lock tables. The creation of an index waits in another one, for which no request waits. */
const OF_REQUESTS = "('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')";
const LONGEST_WAIT = `select extract(epoch from clock_timestamp() - l.waitstart)::float8 * 1000 as ms,
    l.relation::regclass || ' for ' || a.query || ' behind ' || coalesce((select string_agg(b.query, '; ')
      from pg_stat_activity as b where b.pid = any(pg_blocking_pids(l.pid))), 'none') as what
  from pg_locks as l join pg_stat_activity as a using (pid)
  where not l.granted and l.locktype = 'relation' and l.mode in ${OF_REQUESTS} and l.waitstart is not null
    and l.database = (select oid from pg_database where datname = current_database())
  order by ms desc limit 1`;

/** The longest time for which a request has waited for a lock of a table, and what it waited for. */
class LockWatch {
  #isOver = false;
  #longest = { ms: 0, what: 'none' };
  readonly #looking: Promise<void>;

  constructor(private readonly first: RollingOptions['first']) {
    this.#looking = this.#look();
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const { ms = 0, what } = await this.first(LONGEST_WAIT);
      if (Number(ms) > this.#longest.ms) this.#longest = { ms: Number(ms), what: String(what) };
      await sleep(LOOK_MS);
    }
  }

  async end(): Promise<{ readonly ms: number; readonly what: string }> {
    this.#isOver = true;
    await this.#looking;
    return this.#longest;
  }
}
