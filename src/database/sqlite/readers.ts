import type { Kysely } from 'kysely';

import { systemClock } from '../../platform/clock.js';
import { Semaphore, type Release } from '../../platform/concurrency/semaphore.js';
import { busy } from '../../platform/errors.js';
import type { Tables } from '../../schema/schema.js';
import type { Database, OpenOptions } from '../database.js';
import { SqliteConnection } from './connection.js';
import { ReaderThreads } from './examining/reader-threads.js';
import { stopping, type Watcher } from './faults.js';
import { openFile } from './file/open-file.js';

/** Minimum time between two pauses of all reads: 1 s, and twice the previous pause, which may last 5 s. */
const INTERVAL_MS = 1_000;
const INTERVAL_FACTOR = 2;
/** Maximum milliseconds that new reads wait once no read of many rows runs. */
const PAUSE_MS = 50;

interface ReadersOptions extends Pick<OpenOptions, 'examining' | 'onThreadLost'> {
  readonly file: string;
  readonly watcher: Watcher;
  /** Restarts the log. Returns false if that is not possible yet; see `WriteAheadLog.restart`. */
  readonly restartLog: () => boolean;
}

/** All connections that only read: one for single statements, those of snapshots, and reader threads. */
export class Readers {
  readonly handles: Pick<Database, 'reads' | 'snapshot' | 'examine' | 'examining'>;
  readonly #reader: SqliteConnection;
  readonly #snapshots: Snapshots;
  readonly #threads: ReaderThreads;
  #nextPauseAt = -Infinity;

  constructor(private readonly options: ReadersOptions) {
    const { file, watcher, examining: limits, onThreadLost = () => undefined } = options;
    const connect = (): SqliteConnection => new SqliteConnection(openFile(file, { readonly: true }), watcher);
    this.#reader = connect();
    this.#snapshots = new Snapshots(this.#reader, connect);
    this.#threads = new ReaderThreads({ file, watcher, limits, onThreadLost });
    this.handles = {
      reads: this.#reader.db,
      snapshot: (scope, use) => this.#snapshots.use(scope === null, use),
      examine: (companyId, use) => this.#threads.use(companyId, use),
      examining: () => this.#threads.state,
    };
  }

  /** To be called after commits while the log is long: restarts it once nothing reads, as SQLite demands. */
  restartLog(): void {
    this.#snapshots.endUnused();
    if (this.#threads.state.running > 0 || !this.#snapshots.isIdle) void this.#pause();
    else if (this.options.restartLog()) this.#resume();
  }

  async close(): Promise<void> {
    await this.#threads.close();
    this.#snapshots.close();
    this.#reader.database.close();
  }

  /** Lets new reads wait until the open ones have ended and the log is restarted, or for `PAUSE_MS`. */
  async #pause(): Promise<void> {
    const begun = systemClock.elapsed();
    if (begun < this.#nextPauseAt) return;
    this.#nextPauseAt = Infinity;
    await this.#threads.pause();
    setTimeout(() => this.#resume(), PAUSE_MS).unref();
    await this.#snapshots.pause();
    const ended = systemClock.elapsed();
    this.#nextPauseAt = ended + Math.max(INTERVAL_MS, INTERVAL_FACTOR * (ended - begun));
    // If the thread of checkpoints must copy the log first, this is called again when it has done so.
    this.restartLog();
  }

  #resume(): void {
    this.#snapshots.resume();
    this.#threads.resume();
  }
}

/** Maximum open connections, and those of them that units of a company may use. */
const MAX_CONNECTIONS = 64;
const MAX_OF_COMPANIES = 48;
/** Maximum unused connections that stay open. */
const MAX_IDLE = 4;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

/** An open read transaction. Its state is at least as new as `version`. */
interface Snapshot {
  readonly connection: SqliteConnection;
  readonly version: number;
  readonly release: Release;
  users: number;
}

/**
 * Gives each read unit one state of the database. Units that begin while no change is committed share a connection with
 * an open read transaction, so many units need few. It stays open until the next turn of the event loop for units that
 * follow (7 % less time for `GET /v1/devices/{id}`). Units above companies, which run inside others, always find one.
 */
class Snapshots {
  readonly #idle: SqliteConnection[] = [];
  readonly #open = new Set<Snapshot>();
  readonly #turns = new Semaphore<'system' | 'company'>({
    places: MAX_CONNECTIONS,
    placesOfKey: MAX_OF_COMPANIES,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: () => busy('Too many requests are reading the database; try again.', 1),
  });
  #newest: Snapshot | null = null;
  #isPaused = false;
  /** True if `endUnused` is called in the next turn of the event loop. */
  #isEnding = false;
  #isClosed = false;

  /** `probe` is a connection without transactions, which sees every commit at once. */
  constructor(
    private readonly probe: SqliteConnection,
    private readonly connect: () => SqliteConnection,
  ) {}

  /** True if no read transaction is open. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Errors: `busy`, `storage_unavailable`. */
  async use<T>(isSystem: boolean, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const snapshot = this.#join() ?? (await this.#begin(isSystem ? 'system' : 'company'));
    try {
      return await use(snapshot.connection.db);
    } finally {
      this.#leave(snapshot);
    }
  }

  /** Begins no unit until `resume`. Resolves then, or when no transaction is open. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    this.endUnused();
    await this.#turns.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#turns.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#turns.close();
    for (const { database } of this.#idle) database.close();
    for (const { connection } of this.#open) connection.database.close();
  }

  /** The newest snapshot, if nothing was committed since it began; otherwise null. */
  #join(): Snapshot | null {
    if (this.#isClosed) throw stopping();
    const newest = this.#newest;
    if (this.#isPaused || newest === null || newest.version !== this.probe.dataVersion()) return null;
    newest.users += 1;
    return newest;
  }

  async #begin(key: 'system' | 'company'): Promise<Snapshot> {
    const release = await this.#turns.acquire(key);
    try {
      const joined = this.#join();
      if (joined !== null) {
        release();
        return joined;
      }
      this.endUnused();
      const version = this.probe.dataVersion();
      const connection = this.#idle.pop() ?? this.connect();
      connection.run('begin');
      const snapshot = { connection, version, release, users: 1 };
      this.#open.add(snapshot);
      this.#newest = snapshot;
      return snapshot;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends the newest snapshot if no unit reads it. */
  endUnused(): void {
    if (this.#newest?.users === 0) this.#end(this.#newest);
  }

  #leave(snapshot: Snapshot): void {
    snapshot.users -= 1;
    if (snapshot.users > 0 || this.#isClosed) return;
    if (snapshot !== this.#newest || this.#isPaused) this.#end(snapshot);
    else this.#endSoon();
  }

  #endSoon(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      if (!this.#isClosed) this.endUnused();
    });
  }

  #end(snapshot: Snapshot): void {
    const { connection, release } = snapshot;
    this.#open.delete(snapshot);
    if (this.#newest === snapshot) this.#newest = null;
    connection.rollback();
    if (this.#idle.length < MAX_IDLE) this.#idle.push(connection);
    else connection.database.close();
    release();
  }
}
