import type Sqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { systemClock } from '../../platform/clock.js';
import { DomainError, type DomainCode } from '../../platform/errors.js';
import { isBusy, isFatal, translate } from './faults.js';
import { Statements } from './statements.js';

/** What a connection tells whoever watches it. */
export interface Watcher {
  onStatement(sql: string): void;
  /** The engine can no longer promise that what it acknowledges is kept. */
  onFatal(error: unknown): void;
  /** The storage failed or refused. */
  onFault(code: DomainCode): void;
}

/** Pages in the log (4 KiB each) after which they are written back into the file. */
const LOG_PAGES = 1_000;

/** Of the rows that are read at once; what a change reads it needs, whatever its size. */
const MAX_BYTES_READ = 32 * 1024 * 1024;

/** One connection: its transactions are kept whole or not at all, whatever the storage does. */
export class SqliteConnection implements DatabaseConnection {
  readonly #statements: Statements;
  /** Between `begin` and `commit` or `rollback`. */
  #begun = false;
  /** Why the engine undid the open transaction by itself. */
  #undone: Error | null = null;
  #fatal: Error | null = null;

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
  ) {
    this.#statements = new Statements(database);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      this.#demandWhole();
      return Promise.resolve(this.#run<R>(query));
    } catch (error) {
      return Promise.reject(this.#explain(error));
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    try {
      this.#demandWhole();
      this.watcher.onStatement(query.sql);
      // A statement of its own: while it is open, the kept one could not serve anybody else.
      for (const row of this.database.prepare(query.sql).iterate(...query.parameters)) {
        yield await Promise.resolve({ rows: [row as R] });
      }
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Waits for other processes' locks without holding up this one. Errors: `busy` once `deadline` has passed. */
  async begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.#demandWhole();
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
    try {
      this.#demandWhole();
      this.#statements.get('commit').run();
      this.#begun = false;
    } catch (error) {
      throw this.#explain(error);
    }
    this.#writeBack();
  }

  /** Never fails: whoever rolls back has an error of its own to tell. */
  rollback(): void {
    this.#begun = false;
    this.#undone = null;
    // The engine itself rolls back after some faults.
    if (!this.database.inTransaction) return;
    try {
      this.#statements.get('rollback').run();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /**
   * The engine would do this by itself, and keep a failed fsync to itself. The change that came before is in the
   * log and durable, whatever happens here.
   */
  #writeBack(): void {
    try {
      const { log, checkpointed } = this.#statements.get('pragma wal_checkpoint(noop)').get() as {
        log: number;
        checkpointed: number;
      };
      if (log - checkpointed >= LOG_PAGES) this.#statements.get('pragma wal_checkpoint(passive)').get();
    } catch (error) {
      this.#explain(error);
    }
  }

  /** What follows an undone part must not be kept without it, nor anything after a failed fsync. */
  #demandWhole(): void {
    if (this.#fatal !== null) throw this.#fatal;
    if (!this.database.open) {
      throw new DomainError('storage_unavailable', 'The server is stopping.', { retryAfter: 10 });
    }
    if (this.#begun && !this.database.inTransaction) {
      throw this.#undone ?? new DomainError('storage_unavailable', 'The storage gave up this change.');
    }
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    this.watcher.onStatement(query.sql);
    const statement = this.#statements.get(query.sql);
    if (statement.reader) {
      const isBounded = !this.#begun && this.#statements.isWide(statement);
      const rows = isBounded
        ? within(statement.iterate(...query.parameters))
        : statement.all(...query.parameters);
      return { rows: rows as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #explain(error: unknown): Error {
    if (isFatal(error)) return this.#giveUp(error);
    const translated = translate(error);
    if (translated !== error && translated instanceof DomainError) this.watcher.onFault(translated.code);
    if (this.#begun && !this.database.inTransaction) this.#undone ??= translated;
    return translated;
  }

  #giveUp(error: unknown): Error {
    this.#fatal = translate(error);
    this.watcher.onFatal(error);
    return this.#fatal;
  }
}

/** All rows. Errors: `malformed` where they are more than one answer is made of. */
function within(rows: IterableIterator<unknown>): unknown[] {
  const all: unknown[] = [];
  let bytes = 0;
  for (const row of rows) {
    for (const value of Object.values(row as object)) if (typeof value === 'string') bytes += value.length;
    if (bytes > MAX_BYTES_READ) {
      throw new DomainError(
        'malformed',
        `What is asked for has more than ${MAX_BYTES_READ} bytes: ask for fewer records at once.`,
      );
    }
    all.push(row);
  }
  return all;
}
