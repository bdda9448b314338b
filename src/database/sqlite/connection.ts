import type Sqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { systemClock } from '../../platform/clock.js';
import { isTurnLong, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import type { Checkpoints } from './checkpoints/checkpoints.js';
import { isBusy, isFatal, stopping, storageFailed, translate } from './faults.js';
import { allWithinLimit } from './bounded-rows.js';
import type { CommitGuard } from './file/guard.js';
import { probeStorage } from './file/probe.js';
import { bound, Statements } from './statements.js';
import type { Watcher } from './watcher.js';

/** In pages of 4 KiB. */
interface LogLimits {
  /** Pages of the log that are not yet in the database file, from which on they are copied there. */
  readonly checkpoint: number;
  /** Pages of the log from which on it is to be restarted. */
  readonly long: number;
}
/** The log is restarted from 16 MiB on. */
const USUAL_LIMITS: LogLimits = { checkpoint: 1_000, long: 4_000 };
/** The log then takes at most 1 MiB more: most of the 4 MiB that are kept for deletions is left. */
const FULL_DISK_LIMITS: LogLimits = { checkpoint: 64, long: 256 };
/** The length of the log is looked up after commits that changed about so many pages: that takes as long as a small one. */
const PAGES_PER_LOOK = 64;
const PAGE_BYTES = 4096;
/** Fewer than these are copied in the event loop. */
const FEW_PAGES = 100;

/** One connection. A transaction that SQLite rolled back by itself, after a fault, can never be committed in part. */
export class SqliteConnection implements DatabaseConnection {
  readonly #statements: Statements;
  /** Whether a write transaction is open, as far as the caller knows. */
  #begun = false;
  /** Why SQLite rolled the open transaction back by itself. */
  #undone: Error | null = null;
  #fatal: Error | null = null;
  /** Pages that were changed, about so many, since the length of the log was looked up. */
  #changedPages = 0;
  /** Whether the last checkpoint has left little to write to the disk. */
  #isSynced = false;

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
    /** Set on the connection that writes, as soon as it is open. */
    public guard: CommitGuard | null = null,
    /** The same: makes checkpoints outside of the event loop. Without it, they are made after commits. */
    public checkpoints: Pick<Checkpoints, 'request'> | null = null,
  ) {
    this.#statements = new Statements(database);
  }

  /** Other work runs between the statements of a unit that reads much. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#begun || !isTurnLong()) return this.#execute(query);
    return yieldToEventLoop().then(() => this.#execute(query));
  }

  #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      this.demandWhole();
      return Promise.resolve(this.#run<R>(query));
    } catch (error) {
      return Promise.reject(this.#explain(error));
    }
  }

  streamQuery(): never {
    throw new Error('This connection does not stream rows: read them in pages.');
  }

  /**
   * Begins a write transaction. Waits asynchronously while another process writes, until `deadline`, in milliseconds of
   * the monotonic clock. Errors: `busy`.
   */
  async begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.demandWhole();
        this.#statements.get('begin immediate').run();
        this.#begun = true;
        return;
      } catch (error) {
        if (!isBusy(error) || systemClock.elapsed() >= deadline) throw this.#explain(error);
        await sleep(5 + Math.random() * 20);
      }
    }
  }

  commit(): void {
    this.#explained(() => {
      this.demandWhole();
      if (!this.database.inTransaction) throw storageFailed(null);
      this.guard?.committing();
      this.#statements.get('commit').run();
      this.#begun = false;
    });
    this.guard?.committed();
    this.#checkpoint();
  }

  /** Begins what can be undone alone, in a write transaction. There is one at a time. */
  savepoint(): void {
    this.#change('savepoint unit');
  }

  releaseSavepoint(): void {
    this.#change('release unit');
  }

  /** Undoes what was changed since `savepoint`. False if that is not possible: the transaction must be rolled back. */
  rollbackToSavepoint(): boolean {
    try {
      this.#change('rollback to unit');
      this.#change('release unit');
      return true;
    } catch {
      return false;
    }
  }

  #change(command: string): void {
    this.#explained(() => {
      this.demandWhole();
      this.#statements.get(command).run();
    });
  }

  /** Begins a read transaction: from its first statement on, all of them see the same state. */
  beginRead(): void {
    this.#change('begin');
  }

  /** Changes whenever another connection, of this or another process, has committed. */
  dataVersion(): number {
    return this.#explained(() => {
      this.demandWhole();
      return (this.#statements.get('pragma data_version').get() as { data_version: number }).data_version;
    });
  }

  /**
   * Copies the log into the file, so that the next write starts the log anew. False during a write transaction, and
   * while much is to be copied before.
   */
  restartLog(): boolean {
    if (this.#begun) return false;
    try {
      if (this.checkpoints !== null && !(this.#isSynced && this.#logState().left < FEW_PAGES)) {
        this.checkpoints.request();
        return false;
      }
      this.#statements.get('pragma wal_checkpoint(restart)').get();
    } catch (error) {
      this.#explain(error);
    }
    return true;
  }

  /** Ends any transaction. Never throws, so that the error behind it reaches the caller. */
  rollback(): void {
    this.#begun = false;
    this.#undone = null;
    // SQLite itself rolls back after some faults.
    if (!this.database.inTransaction) return;
    try {
      this.#statements.get('rollback').run();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /**
   * Checkpoints the log. SQLite's automatic checkpoints would hide a failed fsync. A failure here does not affect the
   * commit before it, which is durable in the log.
   */
  #checkpoint(): void {
    if (this.#changedPages < PAGES_PER_LOOK) return;
    this.#changedPages = 0;
    try {
      const { log, left } = this.#logState();
      if (left >= this.#limits.checkpoint) {
        // A thread may come too late for a full disk: the log takes room with each deletion.
        if (this.checkpoints !== null && !this.#isDiskFull) this.checkpoints.request();
        else {
          this.#statements.get('pragma wal_checkpoint(passive)').get();
          this.#isSynced = this.#logState().left === 0;
          this.guard?.checkpointed();
        }
      }
      this.#reportLength(log);
    } catch (error) {
      this.#explain(error);
    }
  }

  /** To be called after a checkpoint outside of the event loop. */
  checkpointed(isWhole: boolean): void {
    this.#isSynced = isWhole;
    this.guard?.checkpointed();
    if (this.#begun || !this.database.open) return;
    const { log, left } = this.#logState();
    // Unless a reader keeps pages in the log, these were written meanwhile.
    if (isWhole && left >= this.#limits.checkpoint) this.checkpoints?.request();
    this.#reportLength(log);
  }

  #reportLength(log: number): void {
    const { long } = this.#limits;
    if (log >= long) this.watcher.onLongLog?.(log >= 2 * long);
  }

  get #limits(): LogLimits {
    return this.#isDiskFull ? FULL_DISK_LIMITS : USUAL_LIMITS;
  }

  get #isDiskFull(): boolean {
    return this.watcher.isDiskFull?.() === true;
  }

  /** The same, for one that failed. */
  checkpointFailed(error: Error): void {
    this.#explain(error);
  }

  /** Pages of the log, and those of them that are not in the file yet. */
  #logState(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = this.#statements.get('pragma wal_checkpoint(noop)').get() as {
      log: number;
      checkpointed: number;
    };
    return { log, left: log - checkpointed };
  }

  /** Why SQLite rolled the open transaction back by itself; null if it has not. */
  get undone(): Error | null {
    return this.#undone;
  }

  /** Refuses statements after a failed fsync, and in a transaction that SQLite rolled back by itself. */
  demandWhole(): void {
    if (this.#fatal !== null) throw this.#fatal;
    if (this.#undone !== null) throw this.#undone;
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const ended = this.watcher.onStatement(query.sql);
    if (ended === undefined) return this.#perform(query);
    try {
      const result = this.#perform<R>(query);
      ended();
      return result;
    } catch (error) {
      ended(error);
      throw error;
    }
  }

  #perform<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.#statements.get(query.sql);
    const parameters = bound(query.parameters);
    if (statement.reader) {
      const isBounded = !this.#begun && this.#statements.isWide(statement);
      const rows = isBounded
        ? allWithinLimit(this.#statements.rows(statement, parameters))
        : statement.all(...parameters);
      this.#countPages(rows.length, query);
      return { rows: rows as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    this.#countPages(changes, query);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #countPages(rows: number, { parameters }: CompiledQuery): void {
    if (!this.#begun) return;
    let bytes = 0;
    for (const value of parameters)
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    this.#changedPages += 1 + rows + bytes / PAGE_BYTES;
  }

  #explained<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    if (!this.database.open) return stopping();
    if (isFatal(error)) return this.#giveUp(error);
    const translated = translate(error, () => probeStorage(this.database.name));
    if (translated !== error && translated instanceof DomainError)
      this.watcher.onFault(translated.code, error);
    if (this.#begun && !this.database.inTransaction) this.#undone ??= translated;
    return translated;
  }

  #giveUp(error: unknown): Error {
    this.#fatal = translate(error);
    this.watcher.onFatal(error);
    return this.#fatal;
  }
}
