import { Kysely } from 'kysely';

import { systemClock } from '../../platform/clock.js';
import { Queue } from '../../platform/concurrency/queue.js';
import { DomainError } from '../../platform/errors.js';
import type { Tables } from '../../schema/schema.js';
import { executeDirectly } from '../statements.js';
import type { SqliteConnection } from './connections/connection.js';
import { SqliteConnectionDialect } from './connections/dialect.js';
import { stopping } from './faults.js';

/**
 * Maximum open connections. Units above companies may use all of them, units of a company all but the
 * reserve.
 */
const MAX_CONNECTIONS = 64;
const SYSTEM_RESERVE = 16;
/** Maximum unused connections that stay open. */
const MAX_IDLE = 4;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;
/** Milliseconds that new units wait for a restart of the log, and minimum interval between such pauses. */
const PAUSE_MS = 50;
const PAUSE_INTERVAL_MS = { ordinary: 5_000, urgent: 500 } as const;

interface Reader {
  readonly connection: SqliteConnection;
  readonly db: Kysely<Tables>;
}

/** An open read transaction. Its state is at least as new as `version`, which is null if unknown. */
interface Snapshot extends Reader {
  readonly version: number | null;
  users: number;
}

interface Waiter {
  readonly limit: number;
  readonly resolve: (snapshot: Snapshot) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Gives each read unit one state of the database: a connection with an open read transaction. Units that
 * begin while no change is committed share one transaction, so that many concurrent units need few
 * connections, and most use the prepared statements of the first one. A unit that needs a new connection when
 * all are in use waits at most 5 s. Units above companies (token look-ups, chunks of files) have a reserve,
 * since they run inside other read units.
 */
export class Snapshots {
  readonly #idle: Reader[] = [];
  readonly #open = new Set<Snapshot>();
  readonly #waiting = new Queue<Waiter>();
  #newest: Snapshot | null = null;
  /** A restart of the log that waits for the open snapshots. While it is set, new units wait. */
  #pendingRestart: (() => boolean) | null = null;
  #lastPauseAt = -Infinity;
  #isClosed = false;

  /** `probe` is a connection without transactions, which sees every commit at once. */
  constructor(
    private readonly probe: SqliteConnection,
    private readonly connect: () => SqliteConnection,
  ) {}

  /** Errors: `busy`, `storage_unavailable`. */
  async use<T>(isSystem: boolean, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const limit = isSystem ? MAX_CONNECTIONS : MAX_CONNECTIONS - SYSTEM_RESERVE;
    const snapshot = this.#acquire(limit) ?? (await this.#wait(limit));
    try {
      return await use(snapshot.db);
    } finally {
      this.#release(snapshot);
    }
  }

  /**
   * Calls `restart` while no snapshot is open: now, or when the open ones have ended; new ones wait for that
   * up to 50 ms. SQLite can restart its log only then, and under constant load a snapshot would always be
   * open. `restart` returns false if a transaction of the writer is open; it is called again after the next
   * commit.
   */
  restartLog(restart: () => boolean, isUrgent: boolean): void {
    if (this.#open.size === 0) {
      if (restart()) this.#resume();
      return;
    }
    const now = systemClock.elapsed();
    const interval = isUrgent ? PAUSE_INTERVAL_MS.urgent : PAUSE_INTERVAL_MS.ordinary;
    if (this.#pendingRestart !== null || now - this.#lastPauseAt < interval) return;
    this.#pendingRestart = restart;
    this.#lastPauseAt = now;
    setTimeout(() => this.#resume(), PAUSE_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    for (const { connection } of [...this.#idle, ...this.#open]) connection.database.close();
    for (const { value } of this.#waiting.places()) value.reject(busy());
  }

  /** A snapshot; undefined if the unit has to wait. */
  #acquire(limit: number): Snapshot | undefined {
    if (this.#isClosed) throw stopping();
    if (this.#pendingRestart !== null) return undefined;
    // Not read for a single unit, the usual case: the next unit then opens its own snapshot.
    const version = this.#open.size === 0 ? null : this.probe.dataVersion();
    if (version !== null && this.#newest?.version === version) {
      this.#newest.users += 1;
      return this.#newest;
    }
    if (this.#open.size >= limit) return undefined;
    const reader = this.#idle.pop() ?? this.#connectReader();
    reader.connection.beginRead();
    const snapshot = { ...reader, version, users: 1 };
    this.#open.add(snapshot);
    this.#newest = snapshot;
    return snapshot;
  }

  #connectReader(): Reader {
    const connection = this.connect();
    const db = new Kysely<Tables>({ dialect: new SqliteConnectionDialect(connection, null) });
    executeDirectly(db.getExecutor(), connection);
    return { connection, db };
  }

  #release(snapshot: Snapshot): void {
    snapshot.users -= 1;
    if (snapshot.users > 0 || this.#isClosed) return;
    const { connection, db } = snapshot;
    this.#open.delete(snapshot);
    if (this.#newest === snapshot) this.#newest = null;
    connection.rollback();
    if (this.#idle.length < MAX_IDLE) this.#idle.push({ connection, db });
    else connection.database.close();
    if (this.#open.size === 0 && this.#pendingRestart?.() === true) this.#resume();
    else this.#serveWaiting();
  }

  async #wait(limit: number): Promise<Snapshot> {
    if (this.#waiting.size >= MAX_WAITING) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<Snapshot>();
    const waiter: Waiter = { limit, resolve, reject };
    const timer = setTimeout(() => reject(busy()), MAX_WAIT_MS);
    const place = this.#waiting.add(waiter);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.remove(place);
    }
  }

  #serveWaiting(): void {
    for (const place of this.#waiting.places()) {
      const waiter = place.value;
      try {
        const snapshot = this.#acquire(waiter.limit);
        if (snapshot === undefined) continue;
        waiter.resolve(snapshot);
      } catch (error) {
        waiter.reject(error as Error);
      }
      // Removed at once: `#wait` continues later, and until then the waiter would get another snapshot.
      this.#waiting.remove(place);
    }
  }

  #resume(): void {
    this.#pendingRestart = null;
    this.#serveWaiting();
  }
}

function busy(): DomainError {
  return new DomainError('busy', 'Too many requests are reading the database; try again.', { retryAfter: 1 });
}
