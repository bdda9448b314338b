import type Sqlite from 'better-sqlite3';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

import { DomainError } from '../../platform/errors.js';
import { handlesOf } from '../statements.js';

const MAX_STATEMENTS = 500;
/**
 * Maximum length of a cached SQL text. Longer ones are batches of varying length: rarely repeated, and large
 * when prepared.
 */
const MAX_SQL_LENGTH = 8_192;

/** Columns whose values may be long; a few thousand rows of them may not fit into memory. */
export const WIDE_COLUMNS = [
  'parameters.value',
  'metacontents.value',
  'ledger.before',
  'ledger.after',
  'transactions.sent',
  'transactions.received',
];

/** Cache of prepared statements by SQL text. With 500 entries, a new one replaces the oldest. */
export class Statements {
  readonly #cached = new Map<string, Sqlite.Statement>();
  readonly #wide = new WeakMap<Sqlite.Statement, readonly string[]>();

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

  /** All rows of a statement. Errors: `malformed` for more than `MAX_BYTES_READ` in wide columns. */
  boundedRows(statement: Sqlite.Statement, parameters: readonly unknown[]): unknown[] {
    const wide = this.wideColumns(statement);
    if (wide.length === 0) return statement.all(...parameters);
    const all: unknown[] = [];
    let bytes = 0;
    for (const row of statement.iterate(...parameters)) {
      for (const column of wide) {
        const value = (row as Readonly<Record<string, unknown>>)[column];
        if (typeof value === 'string') bytes += value.length;
      }
      if (bytes > MAX_BYTES_READ) throw tooManyBytes();
      all.push(row);
    }
    return all;
  }

  /** Names of the columns in its rows whose values may be long. */
  wideColumns(statement: Sqlite.Statement): readonly string[] {
    let wide = this.#wide.get(statement);
    if (wide === undefined) {
      wide = statement
        .columns()
        .filter(({ table, column }) => WIDE_COLUMNS.includes(`${table}.${column}`))
        .map(({ name }) => name);
      this.#wide.set(statement, wide);
    }
    return wide;
  }

  get size(): number {
    return this.#cached.size;
  }
}

/** Maximum bytes of the rows of one statement outside a write transaction. */
export const MAX_BYTES_READ = 32 * 1024 * 1024;

export function tooManyBytes(): DomainError {
  return new DomainError(
    'malformed',
    `The records have more than ${MAX_BYTES_READ} bytes: request fewer at once.`,
  );
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
