import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { atMostEvery, MINUTE, SECOND, systemClock, type Clock } from '../../platform/clock.js';
import {
  BoundedWindowStore,
  type NamedLimits,
  type WindowKey,
  type WindowState,
  type WindowStore,
  type WindowStores,
} from '../../platform/windows.js';
import { clientConfig, sessionSettings } from './connections/pool.js';
import { stateOf } from './faults.js';
import { SESSION_AS_SYSTEM } from './roles.js';

const ROUND_MS = 250;
const MAX_KEYS = 1_000;
/** Milliseconds that a sign-in waits for the counts of other nodes, and that one statement may take. */
const PATIENCE = { waitMs: 250, statementMs: SECOND };
/** Milliseconds for which the row of an ended window is kept, because the clocks of nodes may differ. */
const KEPT_MS = MINUTE;
const MAX_DELETIONS = 20;
const DELETED_AT_ONCE = 5_000;

/**
 * Adds events to windows at the time $4, starts windows that are new or have ended, and returns these and the
 * windows of $5: their events (`points`), and their ends (`expire`) in milliseconds since 1970. Keys are sorted, so that
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

/** A statement that failed without an answer, and that may have been committed. */
class UnknownOutcome extends Error {}

/**
 * Windows of limits, shared by all nodes through the table `rate_limits`. Each node counts in memory, and
 * exchanges its counts four times a second in one statement; only a sign-in waits for that. While PostgreSQL
 * does not answer, each node counts alone (decisions.md#shared-limits).
 */
export class SharedLimits implements WindowStores {
  /** One connection of its own, so that units of work do not delay it. */
  readonly #pool: pg.Pool;
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
  #isWarningDue = atMostEvery(MINUTE);

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

  get failures(): number {
    return this.#failures;
  }

  windows(clock: Clock): WindowStores {
    this.#clock = clock;
    this.#isWarningDue = atMostEvery(MINUTE, clock);
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
    const { waitMs } = this.patience;
    const sent = this.#sendNext().then(() => false);
    const isLate = await Promise.race([sent, sleep(waitMs, true, { ref: false })]);
    if (isLate) this.#failed(new Error(`The windows of limits were not shared within ${waitMs} ms.`));
  }

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
    const wanted = [...this.#wanted.values()];
    this.#wanted.clear();
    const messages = wanted.flatMap(({ name, key }) => this.#stores.get(name)?.messageOf(key) ?? []);
    for (const store of this.#stores.values()) messages.push(...store.take(MAX_KEYS - messages.length));
    return messages;
  }

  async #send(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const byKey = new Map(messages.map((each) => [`${each.store.limits.name} ${each.key}`, each]));
    const now = this.#clock.now().getTime();
    const sorted = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
    const counted = sorted.filter(([, { events }]) => events > 0);
    try {
      const { rows } = await this.#query<{ key: string; points: number; expire: number }>(EXCHANGE, [
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
      // After an unknown outcome, events are not sent again: they might count twice, which is worse than too few.
      if (!(error instanceof UnknownOutcome)) for (const message of messages) message.store.restore(message);
      this.#failed(error);
    }
  }

  /** Errors: `UnknownOutcome`; another error if nothing was changed. */
  async #query<R extends object>(text: string, values: unknown[]): Promise<pg.QueryResult<R>> {
    const client = await this.#pool.connect();
    try {
      const result = await client.query<R>(text, values);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw stateOf(error) === null ? new UnknownOutcome((error as Error).message, { cause: error }) : error;
    }
  }

  #failed(error: unknown): void {
    this.#isAway = true;
    this.#failures += 1;
    if (this.#isWarningDue()) this.onUnshared(error);
  }
}

/** Maximum rows that one node writes for one store, apart from those whose windows have ended. */
export const MAX_ROWS = 10_000;
/** Share of a limit from which on its key has a row, so that a flood of addresses creates no rows. */
const SHARED_FROM = 1 / 100;
/** Maximum keys that wait to be read; others are read after their next event. */
const MAX_ASKED = 1_000;

/** Events of a key to add to its row; with `events` 0, the key is only read. */
interface Message {
  readonly store: SharedWindowStore;
  readonly key: string;
  readonly events: number;
  readonly msLeft: number;
}

class SharedWindowStore implements WindowStore {
  readonly #windows: BoundedWindowStore;
  readonly #toWrite = new Set<string>();
  readonly #toRead = new Set<string>();
  /** Ends of the windows with a row, by key, on the clock of `clock.elapsed()`. */
  readonly #rows = new Map<string, number>();

  constructor(
    readonly limits: NamedLimits,
    private readonly clock: Clock,
  ) {
    this.#windows = new BoundedWindowStore(limits, clock);
  }

  count(key: string): WindowState {
    const state = this.#windows.count(key);
    this.#mark(key);
    return state;
  }

  read(key: string): WindowState | null {
    return this.#windows.read(key);
  }

  take(max: number): readonly Message[] {
    const keys = [...this.#toWrite, ...this.#toRead].slice(0, max);
    return keys.map((key) => this.messageOf(key));
  }

  /** The message of a key, whether it has news or not. Its events count as shared from now on. */
  messageOf(key: string): Message {
    this.#toWrite.delete(key);
    this.#toRead.delete(key);
    const { unshared, msLeft } = this.#windows.read(key) ?? { unshared: 0, msLeft: 0 };
    const events = this.#isToWrite(key) && this.#hasRoom(key, msLeft) ? unshared : 0;
    this.#windows.share(key, events);
    return { store: this, key, events, msLeft };
  }

  restore({ key, events }: Message): void {
    this.#windows.share(key, -events);
    this.#mark(key);
  }

  learn(key: string, events: number, msLeft: number): void {
    this.#windows.learn(key, events, Math.min(msLeft, this.limits.windowMs));
  }

  #mark(key: string): void {
    if (this.#isToWrite(key)) {
      if (this.#toWrite.size < this.limits.maxKeys) this.#toWrite.add(key);
    } else if (this.#toRead.size < MAX_ASKED && !this.#isKnownOver(key)) this.#toRead.add(key);
  }

  #isToWrite(key: string): boolean {
    const window = this.#windows.read(key);
    return window !== null && window.count >= this.limits.points * SHARED_FROM && !this.#isKnownOver(key);
  }

  /** True if all nodes know that the key is over its limit, or can read it from the row. */
  #isKnownOver(key: string): boolean {
    const window = this.#windows.read(key);
    return window !== null && window.count - window.unshared > this.limits.points;
  }

  #hasRoom(key: string, msLeft: number): boolean {
    const now = this.clock.elapsed();
    if (!this.#rows.has(key) && this.#rows.size >= MAX_ROWS) {
      for (const [other, endsAt] of this.#rows) if (endsAt <= now) this.#rows.delete(other);
      if (this.#rows.size >= MAX_ROWS) return false;
    }
    this.#rows.set(key, now + msLeft);
    return true;
  }
}
