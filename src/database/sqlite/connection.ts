import type Sqlite from 'better-sqlite3';
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryResult,
} from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../../platform/clock.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import { SQLITE_IS_SEARCH_CHANGED, SQLITE_SEARCH_CHANGES } from '../../schema/search.js';
import { handlesOf, LONG_COLUMNS, textCounter, type StatementEnd } from '../statements.js';
import { isBusy, isFatal, probeStorage, stopping, storageFailed, translate, type Watcher } from './faults.js';
import type { CommitGuard } from './file/marker.js';
import { WriteAheadLog } from './write-ahead-log.js';

const MAX_STATEMENTS = 500;
/** Maximum length of a cached SQL text. Longer ones are batches: rarely repeated, and large when prepared. */
const MAX_SQL_LENGTH = 8_192;
/** Milliseconds of a turn of the event loop after which a unit with several statements yields before the next one. */
const LONG_PART_MS = 4;

/** Cache of prepared statements by SQL text. With 500 entries, a new one replaces the oldest. */
export class Statements {
  readonly #cached = new Map<string, Sqlite.Statement>();
  /** Statements by whether their rows may be long. */
  readonly #isLong = new WeakMap<Sqlite.Statement, boolean>();

  constructor(private readonly database: Sqlite.Database) {}

  get(sql: string): Sqlite.Statement {
    const cached = this.#cached.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.database.prepare(sql);
    if (sql.length <= MAX_SQL_LENGTH) {
      if (this.#cached.size >= MAX_STATEMENTS) this.#cached.delete(this.#cached.keys().next().value ?? '');
      this.#cached.set(sql, statement);
    }
    return statement;
  }

  /** All rows of a statement. Errors: `malformed` for more than `MAX_BYTES_READ` in long columns. */
  boundedRows(statement: Sqlite.Statement, parameters: readonly unknown[]): unknown[] {
    let isLong = this.#isLong.get(statement);
    isLong ??= statement.columns().some(({ name }) => LONG_COLUMNS.has(name));
    this.#isLong.set(statement, isLong);
    if (!isLong) return statement.all(...parameters);
    const count = textCounter();
    const all: unknown[] = [];
    for (const row of statement.iterate(...parameters)) {
      count(row as object);
      all.push(row);
    }
    return all;
  }
}

/** The parameters as SQLite stores them: instants as milliseconds since 1970, flags as 0 or 1. */
export function bound(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.some(isConverted)
    ? parameters.map((value) => (isConverted(value) ? Number(value) : value))
    : parameters;
}

const isConverted = (value: unknown): boolean => typeof value === 'boolean' || value instanceof Date;

/** A handle whose statements are run by `execute`, on connections of this folder. */
export const handleOf = handlesOf({
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});

interface WriterParts {
  readonly guard?: CommitGuard | null;
  /** True if a thread copies the log into the file. Without it, that is done after commits. */
  readonly hasCheckpointThread?: boolean;
}

/** Statements about the names that a transaction has changed. */
const NAMES = { areChanged: SQLITE_IS_SEARCH_CHANGED, apply: SQLITE_SEARCH_CHANGES };

/** One connection. If SQLite itself rolls back a transaction after a fault, no part of it can be committed. */
export class SqliteConnection {
  /** Handle whose statements run on this connection. */
  readonly db = handleOf((query) => this.executeQuery(query));
  /** Kept short by the connection that writes. */
  readonly log: WriteAheadLog;
  readonly #statements: Statements;
  readonly #guard: CommitGuard | null;
  /** True if a write transaction is open from the caller's point of view. */
  #begun = false;
  /** Why SQLite itself rolled back the open transaction; null if it has not. */
  undone: Error | null = null;
  #fatal: Error | null = null;

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
    { guard = null, hasCheckpointThread: hasThread = false }: WriterParts = {},
  ) {
    this.#guard = guard;
    this.#statements = new Statements(database);
    this.log = new WriteAheadLog({
      file: database.name,
      row: (pragma) => this.#statements.get(pragma).get(),
      watcher,
      guard,
      hasThread,
      isInTransaction: () => this.#begun || !database.open,
      onError: (error) => this.#explain(error),
    });
  }

  /** Lets other work run between the statements of a unit that reads much. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#begun || !isTurnOver(LONG_PART_MS)) return this.#execute(query);
    return yieldToEventLoop().then(() => this.#execute(query));
  }

  /** Begins a write transaction. Waits for other processes until `deadline`, in monotonic ms. Errors: `busy`. */
  async begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.requireWhole();
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
      if (!this.database.inTransaction) throw storageFailed(null);
      this.#applyNames();
      this.#guard?.committing();
      this.#statements.get('commit').run();
      this.#begun = false;
    });
    this.#guard?.committed();
    this.log.committed();
  }

  /** Brings the indexes of names up to date with the records that the transaction has changed. */
  #applyNames(): void {
    if (this.#statements.get(NAMES.areChanged).get() === undefined) return;
    for (const change of NAMES.apply) this.#statements.get(change).run();
  }

  /** Begins a read transaction, or begins, ends or undoes the part `unit` of a write transaction. */
  run(command: 'begin' | 'savepoint unit' | 'release unit' | 'rollback to unit'): void {
    this.#explained(() => this.#statements.get(command).run());
  }

  /** A number that changes whenever another connection, of this or another process, has committed. */
  dataVersion(): number {
    const read = () => this.#statements.get('pragma data_version').get() as { data_version: number };
    return this.#explained(read).data_version;
  }

  /** Ends any transaction. Never throws, so that the caller gets the original error. */
  rollback(): void {
    this.#begun = false;
    this.undone = null;
    // After some faults, SQLite itself has rolled back.
    if (!this.database.inTransaction) return;
    try {
      this.#statements.get('rollback').run();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Refuses statements after a failed fsync, and in a transaction that SQLite itself rolled back. */
  requireWhole(): void {
    if (this.#fatal !== null) throw this.#fatal;
    if (this.undone !== null) throw this.undone;
  }

  #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    let ended: StatementEnd | undefined;
    try {
      this.requireWhole();
      ended = this.watcher.onStatement(query.sql);
      const result = this.#perform<R>(query);
      ended?.();
      return Promise.resolve(result);
    } catch (error) {
      ended?.(error);
      return Promise.reject(this.#explain(error));
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
      this.requireWhole();
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
    if (this.#begun && !this.database.inTransaction) this.undone ??= translated;
    return translated;
  }

  #giveUp(error: unknown): Error {
    this.#fatal = translate(error);
    this.watcher.onFatal(error);
    return this.#fatal;
  }
}
