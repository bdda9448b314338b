import type Sqlite from 'better-sqlite3';

const MAX_STATEMENTS = 500;
/** Longer SQL texts are batches of varying length: rarely repeated, and large when prepared. */
const MAX_SQL_LENGTH = 8_192;

/** Columns whose values may be long; a few thousand rows of them may not fit into memory. */
const WIDE_COLUMNS = [
  ...['parameters.value', 'metacontents.value', 'ledger.before', 'ledger.after'],
  ...['transactions.sent', 'transactions.received'],
];

/**
 * Cache of at most 500 prepared statements by SQL text. None is in use when it is asked for, since all rows of a statement
 * are read at once.
 */
export class Statements {
  /** Has what is used. With 250, it becomes `older` and begins anew; what was in `older` and was not used is dropped. */
  #recent = new Map<string, Sqlite.Statement>();
  #older = new Map<string, Sqlite.Statement>();
  readonly #wide = new WeakMap<Sqlite.Statement, boolean>();

  constructor(private readonly database: Sqlite.Database) {}

  get(sql: string): Sqlite.Statement {
    const recent = this.#recent.get(sql);
    if (recent !== undefined) return recent;
    const statement = this.#older.get(sql) ?? this.database.prepare(sql);
    if (sql.length <= MAX_SQL_LENGTH) this.#add(sql, statement);
    return statement;
  }

  /** Whether the rows of a statement have long values. */
  isWide(statement: Sqlite.Statement): boolean {
    let wide = this.#wide.get(statement);
    if (wide === undefined) {
      wide = statement.columns().some(({ table, column }) => WIDE_COLUMNS.includes(`${table}.${column}`));
      this.#wide.set(statement, wide);
    }
    return wide;
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #add(sql: string, statement: Sqlite.Statement): void {
    this.#older.delete(sql);
    this.#recent.set(sql, statement);
    if (this.#recent.size < MAX_STATEMENTS / 2) return;
    this.#older = this.#recent;
    this.#recent = new Map();
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
