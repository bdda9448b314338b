import Sqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { isBusy, isFatal, translate } from './faults.js';

/** What a connection tells whoever watches it. */
export interface Watcher {
  onStatement(sql: string): void;
  /** The engine can no longer promise that what it acknowledges is kept. */
  onFatal(error: unknown): void;
  /** A statement failed in a way that is the storage's fault. */
  onFault(error: unknown): void;
}

/** Blocking waits for a lock stop everybody: this long, then the waiting is asynchronous. */
const BLOCKING_WAIT_MS = 20;
const LOCK_WAIT_MS = 5_000;
const MAX_PREPARED = 500;

export function openFile(file: string, options: { readonly: boolean }): Sqlite.Database {
  const database = new Sqlite(file, { readonly: options.readonly, timeout: BLOCKING_WAIT_MS });
  try {
    if (!options.readonly) database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma('trusted_schema = OFF');
    assertPragmas(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function assertPragmas(database: Sqlite.Database): void {
  const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, trusted_schema: 0 };
  for (const [pragma, value] of Object.entries(expected)) {
    const actual = database.pragma(pragma, { simple: true });
    if (actual !== value) throw new Error(`SQLite runs with ${pragma}=${String(actual)}, not ${value}`);
  }
}

/** One connection with its prepared statements kept: preparing costs several times what a look-up does. */
export class SqliteConnection implements DatabaseConnection {
  readonly #prepared = new Map<string, Sqlite.Statement>();

  constructor(
    readonly database: Sqlite.Database,
    readonly watcher: Watcher,
  ) {}

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return Promise.resolve(this.#run<R>(query));
    } catch (error) {
      return Promise.reject(this.#explain(error));
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    this.watcher.onStatement(query.sql);
    // A statement of its own: while it is open, the kept one could not serve anybody else.
    for (const row of this.database.prepare(query.sql).iterate(...query.parameters)) {
      yield await Promise.resolve({ rows: [row as R] });
    }
  }

  async begin(): Promise<void> {
    const attempts = Math.ceil(LOCK_WAIT_MS / 50);
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.execute('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error) || attempt >= attempts) throw this.#explain(error);
        await sleep(10 + Math.random() * 40);
      }
    }
  }

  commit(): void {
    try {
      this.execute('commit');
    } catch (error) {
      throw this.#explain(error);
    }
  }

  rollback(): void {
    // The engine itself rolls back after some faults.
    if (this.database.inTransaction) this.execute('rollback');
  }

  execute(sql: string): void {
    this.#statement(sql).run();
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    this.watcher.onStatement(query.sql);
    const statement = this.#statement(query.sql);
    if (statement.reader) return { rows: statement.all(...query.parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #statement(sql: string): Sqlite.Statement {
    const kept = this.#prepared.get(sql);
    if (kept !== undefined && !kept.busy) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, kept);
      return kept;
    }
    const prepared = this.database.prepare(sql);
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > MAX_PREPARED) this.#prepared.delete(this.#prepared.keys().next().value ?? '');
    return prepared;
  }

  #explain(error: unknown): Error {
    if (isFatal(error)) this.watcher.onFatal(error);
    const translated = translate(error);
    if (translated !== error) this.watcher.onFault(translated);
    return translated;
  }
}
