import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../../platform/clock.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import {
  isBusy,
  isFatal,
  probeStorage,
  stopping,
  storageFailed,
  translate,
  type CommitGuard,
  type Watcher,
} from './faults.js';
import { bound, handleOf, Statements } from './statements.js';
import { WriteAheadLog } from './write-ahead-log.js';

/** Parts of the connection that writes. */
interface WriterParts {
  readonly guard?: CommitGuard | null;
  /** Whether a thread copies the log into the file. Without it, that is done after commits. */
  readonly hasCheckpointThread?: boolean;
}

/** Milliseconds of a turn of the event loop after which a unit with several statements yields before the next one. */
const LONG_PART_MS = 4;

/**
 * One connection to SQLite. If SQLite itself rolls back a transaction after a fault, no part of it can be
 * committed.
 */
export class SqliteConnection {
  /** Handle whose statements run on this connection. */
  readonly db = handleOf((query) => this.executeQuery(query));
  readonly #statements: Statements;
  readonly #guard: CommitGuard | null;
  /** Kept short by the connection that writes. */
  readonly log: WriteAheadLog;
  /** Whether a write transaction is open from the caller's point of view. */
  #begun = false;
  /** Why SQLite itself rolled back the open transaction; null if it has not. */
  #undone: Error | null = null;
  #fatal: Error | null = null;

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
    { guard = null, hasCheckpointThread = false }: WriterParts = {},
  ) {
    this.#guard = guard;
    this.#statements = new Statements(database);
    this.log = new WriteAheadLog(this.#statements, {
      file: database.name,
      watcher,
      guard,
      hasThread: hasCheckpointThread,
      isInTransaction: () => this.#begun || !database.open,
      onError: (error) => this.#explain(error),
    });
  }

  /** Lets other work run between the statements of a unit that reads much. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#begun || !isTurnOver(LONG_PART_MS)) return this.#execute(query);
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
      this.#guard?.committing();
      this.#statements.get('commit').run();
      this.#begun = false;
    });
    this.#guard?.committed();
    this.log.committed();
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
      if (!this.#begun) return { rows: this.#statements.boundedRows(statement, parameters) as R[] };
      const rows = statement.all(...parameters);
      this.log.countPages(rows.length, query.parameters);
      return { rows: rows as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    if (this.#begun) this.log.countPages(changes, query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
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
