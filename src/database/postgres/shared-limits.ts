import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Pool } from 'pg';

import { MINUTE, SECOND, systemClock, type Clock } from '../../platform/clock.js';
import type { NamedLimits, WindowKey, WindowStore, WindowStores } from '../../platform/limits/windows.js';
import { clientConfig, sessionSettings } from './connections/pool.js';
import { stateOf } from './faults.js';
import { SESSION_AS_SYSTEM } from './roles.js';
import { SharedWindowStore, type Message } from './shared-window-store.js';

const ROUND_MS = 250;
/** Maximum keys in one statement. */
const MAX_KEYS = 1_000;
/** Milliseconds that a sign-in waits for the counts of other nodes, and that one statement may take. */
const PATIENCE = { waitMs: 250, statementMs: SECOND };
const WARN_MS = MINUTE;
/** Milliseconds for which the row of an ended window is kept, because the clocks of nodes may differ. */
const KEPT_MS = MINUTE;
const MAX_DELETIONS = 20;
const DELETED_AT_ONCE = 5_000;

/**
 * Adds events to windows, starts windows that are new or have ended, and returns these and the windows of $5.
 * $4 is the current time. Rows are locked in the order of their keys, which are sorted, so that
 * statements of different nodes never wait for each other.
 */
const EXCHANGE = `with written as (
  insert into rate_limits as known (key, points, expire)
  select * from unnest($1::text[], $2::integer[], $3::bigint[])
  on conflict (key) do update set
    points = case when known.expire <= $4 then excluded.points
      else least(known.points::bigint + excluded.points, 2147483647)::integer end,
    expire = case when known.expire <= $4 then excluded.expire else known.expire end
  returning key, points, expire)
select key, points, expire from written
union all select key, points, expire from rate_limits where key = any($5::text[]) and expire > $4`;

const DELETE = `delete from rate_limits where key in (
  select key from rate_limits where expire < $1 limit $2 for update skip locked)`;

/** A row of `rate_limits`: the events of one window, and its end (`expire`) in milliseconds since 1970. */
interface WindowRow {
  readonly key: string;
  readonly points: number;
  readonly expire: number;
}

/** A statement that failed without an answer, and that may have been committed. */
class UnknownOutcome extends Error {}

/**
 * Windows of limits, shared by all nodes through the table `rate_limits`. Each node counts in memory, and
 * exchanges its counts four times a second in one statement; only a sign-in waits for that. While PostgreSQL
 * does not answer, each node counts alone (decisions.md#shared-limits).
 */
export class SharedLimits implements WindowStores {
  /** One connection of its own, so that units of work do not delay it. */
  readonly #pool: Pool;
  readonly #stores = new Map<string, SharedWindowStore>();
  #clock: Clock = systemClock;
  #timer: NodeJS.Timeout | undefined;
  /** Keys for which a caller waits, by their names in the table. */
  readonly #wanted = new Map<string, WindowKey>();
  #last = Promise.resolve();
  /** The exchange that begins when the last one has ended; null if none is requested. */
  #next: Promise<void> | null = null;
  #isAway = false;
  #failures = 0;
  #warnedAt = -Infinity;

  constructor(
    url: string,
    private readonly onUnshared: (error: unknown) => void = () => undefined,
    private readonly patience = PATIENCE,
  ) {
    const { statementMs } = patience;
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      query_timeout: 2 * statementMs,
      idleTimeoutMillis: 60 * SECOND,
      allowExitOnIdle: true,
      max: 1,
      onConnect: sessionSettings(`set statement_timeout = ${statementMs}; ${SESSION_AS_SYSTEM}`),
    });
    this.#pool.on('error', () => undefined);
    // A connection that is lost during a statement fails the statement too.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Number of times that windows could not be shared, or not in time. */
  get failures(): number {
    return this.#failures;
  }

  windows(clock: Clock): WindowStores {
    this.#clock = clock;
    this.#timer ??= setInterval(() => void this.#sendNext(), ROUND_MS).unref();
    return this;
  }

  open(limits: NamedLimits): WindowStore {
    const store = new SharedWindowStore(limits, this.#clock);
    this.#stores.set(limits.name, store);
    return store;
  }

  async exchange(keys: readonly WindowKey[]): Promise<void> {
    for (const { name, key } of keys) {
      if (this.#wanted.size < MAX_KEYS) this.#wanted.set(`${name} ${key}`, { name, key });
    }
    if (this.#isAway) return;
    const sent = this.#sendNext();
    const waiting = new AbortController();
    const { waitMs } = this.patience;
    const late = sleep(waitMs, true, { signal: waiting.signal }).catch(() => false);
    const isLate = await Promise.race([late, sent.then(() => false)]);
    waiting.abort();
    if (isLate) this.#failed(new Error(`The windows of limits were not shared within ${waitMs} ms.`));
  }

  /** Deletes rows of windows that have ended. Never rejects. */
  async deleteEnded(): Promise<void> {
    if (this.#timer === undefined) return;
    const before = this.#clock.now().getTime() - KEPT_MS;
    try {
      for (let n = 0; n < MAX_DELETIONS; n += 1) {
        const { rowCount } = await this.#query(DELETE, [before, DELETED_AT_ONCE]);
        if (rowCount !== DELETED_AT_ONCE) return;
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Shares the remaining counts, and closes the connection. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await (this.#isAway ? this.#last : this.#sendNext());
    await this.#pool.end();
  }

  /** Sends one statement at a time. Messages that arrive meanwhile go into the next one. */
  #sendNext(): Promise<void> {
    this.#next ??= this.#last = this.#last.then(async () => {
      this.#next = null;
      await this.#send(this.#takeMessages());
    });
    return this.#next;
  }

  #takeMessages(): readonly Message[] {
    const messages = [...this.#wanted.values()].flatMap(
      ({ name, key }) => this.#stores.get(name)?.messageOf(key) ?? [],
    );
    this.#wanted.clear();
    for (const store of this.#stores.values()) messages.push(...store.take(MAX_KEYS - messages.length));
    return messages;
  }

  async #send(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const byKey = new Map(messages.map((message) => [nameOf(message), message]));
    const now = this.#clock.now().getTime();
    const sorted = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
    const counted = sorted.filter(([, { events }]) => events > 0);
    try {
      const { rows } = await this.#query<WindowRow>(EXCHANGE, [
        counted.map(([key]) => key),
        counted.map(([, { events }]) => events),
        counted.map(([, { msLeft }]) => Math.ceil(now + msLeft)),
        now,
        sorted.flatMap(([key, { events }]) => (events === 0 ? [key] : [])),
      ]);
      for (const { key, points, expire } of rows) {
        const message = byKey.get(key);
        message?.store.learn(message.key, points, expire - this.#clock.now().getTime());
      }
      this.#isAway = false;
    } catch (error) {
      // After an unknown outcome, events are not sent again: they might count twice, which is worse than too
      // few.
      if (!(error instanceof UnknownOutcome)) for (const message of messages) message.store.restore(message);
      this.#failed(error);
    }
  }

  /** Errors: `UnknownOutcome`; another error if nothing was changed. */
  async #query<R extends object>(text: string, values: unknown[]): Promise<pg.QueryResult<R>> {
    const client = await this.#pool.connect();
    let failed = false;
    try {
      return await client.query<R>(text, values);
    } catch (error) {
      failed = true;
      if (stateOf(error) !== null) throw error;
      throw new UnknownOutcome((error as Error).message, { cause: error });
    } finally {
      client.release(failed);
    }
  }

  #failed(error: unknown): void {
    this.#isAway = true;
    this.#failures += 1;
    const now = this.#clock.elapsed();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    this.onUnshared(error);
  }
}

const nameOf = ({ store, key }: Message): string => `${store.limits.name} ${key}`;
