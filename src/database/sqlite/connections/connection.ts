import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../../../platform/clock.js';
import { isTurnLong, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError } from '../../../platform/errors.js';
import type { Checkpoints } from '../checkpoints/checkpoints.js';
import { WriteAheadLog } from '../checkpoints/write-ahead-log.js';
import { isBusy, isFatal, stopping, storageFailed, translate } from '../faults.js';
import type { CommitGuard } from '../file/marker/guard.js';
import { probeStorage } from '../file/probe.js';
import { allWithinLimit } from './bounded-rows.js';
import { bound, Statements } from './statements.js';
import type { Watcher } from './watcher.js';

/**
 * One connection to SQLite. If SQLite itself rolls back a transaction after a fault, no part of it can be
 * committed.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #statements: Statements;
  readonly #log: WriteAheadLog;
  /** Whether a write transaction is open from the caller's point of view. */
  #begun = false;
  /** Why SQLite itself rolled back the open transaction; null if it has not. */
  #undone: Error | null = null;
  #fatal: Error | null = null;

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
    /** Set on the connection that writes, as soon as it is open. */
    public guard: CommitGuard | null = null,
    /**
     * Makes checkpoints outside of the event loop; set on the connection that writes. Without it, checkpoints
     * are made after commits.
     */
    public checkpoints: Pick<Checkpoints, 'request'> | null = null,
  ) {
    this.#statements = new Statements(database);
    this.#log = new WriteAheadLog(this.#statements, this);
  }

  /** Lets other work run between the statements of a unit that reads much. */
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
   * Begins a write transaction. Waits asynchronously while another process writes, until `deadline`, in
   * milliseconds of the monotonic clock. Errors: `busy`.
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

  /** Begins a part of a write transaction that can be undone alone. There can be one at a time. */
  savepoint(): void {
    this.#change('savepoint unit');
  }

  releaseSavepoint(): void {
    this.#change('release unit');
  }

  /**
   * Undoes the changes since `savepoint`. False if that is not possible: the transaction must be rolled back.
   */
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

  /** Begins a read transaction: all of its statements see the state of the first one. */
  beginRead(): void {
    this.#change('begin');
  }

  /** A number that changes whenever another connection, of this or another process, has committed. */
  dataVersion(): number {
    return this.#explained(() => {
      this.demandWhole();
      return (this.#statements.get('pragma data_version').get() as { data_version: number }).data_version;
    });
  }

  /**
   * Copies the log into the file, so that the next write restarts the log. False during a write transaction,
   * and while much must be copied first.
   */
  restartLog(): boolean {
    if (this.#begun) return false;
    try {
      return this.#log.restart();
    } catch (error) {
      this.#explain(error);
      return true;
    }
  }

  /** Ends any transaction. Never throws, so that the caller gets the original error. */
  rollback(): void {
    this.#begun = false;
    this.#undone = null;
    // After some faults, SQLite itself has rolled back.
    if (!this.database.inTransaction) return;
    try {
      this.#statements.get('rollback').run();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /**
   * Makes a checkpoint if the log has grown. Its failure does not affect the previous commit, which is
   * durable in the log.
   */
  #checkpoint(): void {
    try {
      this.#log.committed();
    } catch (error) {
      this.#explain(error);
    }
  }

  /** See `WriteAheadLog`. */
  get bytesWithoutRoom(): number {
    return this.#log.bytesWithoutRoom;
  }

  /** To be called after a checkpoint outside of the event loop. */
  checkpointed(isWhole: boolean): void {
    this.#log.checkpointed(isWhole, () => !this.#begun && this.database.open);
  }

  /** To be called after a checkpoint outside of the event loop has failed. */
  checkpointFailed(error: Error): void {
    this.#explain(error);
  }

  /** Why SQLite itself rolled back the open transaction; null if it has not. */
  get undone(): Error | null {
    return this.#undone;
  }

  /** Refuses statements after a failed fsync, and in a transaction that SQLite itself rolled back. */
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
      const rows = this.#begun ? statement.all(...parameters) : this.#bounded(statement, parameters);
      if (this.#begun) this.#log.countPages(rows.length, query.parameters);
      return { rows: rows as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    if (this.#begun) this.#log.countPages(changes, query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #bounded(statement: Sqlite.Statement, parameters: readonly unknown[]): unknown[] {
    const wide = this.#statements.wideColumns(statement);
    if (wide.length === 0) return statement.all(...parameters);
    return allWithinLimit(statement.iterate(...parameters), wide);
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
