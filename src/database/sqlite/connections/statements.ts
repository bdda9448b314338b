import type Sqlite from 'better-sqlite3';

const MAX_STATEMENTS = 500;
/**
 * Maximum length of a cached SQL text. Longer ones are batches of varying length: rarely repeated, and large
 * when prepared.
 */
const MAX_SQL_LENGTH = 8_192;

/** Columns whose values may be long; a few thousand rows of them may not fit into memory. */
export const WIDE_COLUMNS = [
  ...['parameters.value', 'metacontents.value', 'ledger.before', 'ledger.after'],
  ...['transactions.sent', 'transactions.received'],
];

interface Cached {
  readonly statement: Sqlite.Statement;
  /** Whether it was used since it was prepared, or since `#makeRoom` last spared it. */
  isUsed: boolean;
}

/**
 * Cache of prepared statements by SQL text. With 500 entries, a new one replaces the oldest that was not used
 * lately. The order changes only then: a Map whose entries move at each use leaves old tables in memory until
 * the whole heap is collected, a third of the memory of a unit that writes.
 */
export class Statements {
  readonly #cached = new Map<string, Cached>();
  readonly #wide = new WeakMap<Sqlite.Statement, readonly string[]>();

  constructor(private readonly database: Sqlite.Database) {}

  get(sql: string): Sqlite.Statement {
    const cached = this.#cached.get(sql);
    if (cached !== undefined) {
      cached.isUsed = true;
      return cached.statement;
    }
    const prepared = this.database.prepare(sql);
    if (sql.length <= MAX_SQL_LENGTH) this.#add(sql, prepared);
    return prepared;
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

  #add(sql: string, statement: Sqlite.Statement): void {
    if (this.#cached.size >= MAX_STATEMENTS && !this.#cached.has(sql)) this.#makeRoom();
    this.#cached.set(sql, { statement, isUsed: false });
  }

  #makeRoom(): void {
    for (const [sql, cached] of this.#cached) {
      this.#cached.delete(sql);
      if (!cached.isUsed) return;
      this.#cached.set(sql, { ...cached, isUsed: false });
    }
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
