import type Sqlite from 'better-sqlite3';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

import { handlesOf, LONG_COLUMNS, textCounter } from '../statements.js';

const MAX_STATEMENTS = 500;
/**
 * Maximum length of a cached SQL text. Longer ones are batches of varying length: rarely repeated, and large
 * when prepared.
 */
const MAX_SQL_LENGTH = 8_192;

/** Cache of prepared statements by SQL text. With 500 entries, a new one replaces the oldest. */
export class Statements {
  readonly #cached = new Map<string, Sqlite.Statement>();
  /** Whether the rows of a statement have long columns. */
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

  get size(): number {
    return this.#cached.size;
  }
}

/** The parameters as SQLite stores them: instants as milliseconds since 1970, flags as 0 or 1. */
export function bound(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.some(isConverted)
    ? parameters.map((value) => (isConverted(value) ? Number(value) : value))
    : parameters;
}

function isConverted(value: unknown): boolean {
  return typeof value === 'boolean' || value instanceof Date;
}

/** A handle whose statements are run by `execute`, on connections of this folder. */
export const handleOf = handlesOf({
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});
