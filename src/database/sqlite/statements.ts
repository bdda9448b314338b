import type Sqlite from 'better-sqlite3';

const MOST_KEPT = 500;
/** Longer texts are batches whose length varies: hardly ever the same twice, and large when prepared. */
const LONGEST_KEPT = 8_192;

/** Columns of long texts: a few thousand rows of them are more than there is room for. */
const WIDE = [
  ...['parameters.value', 'metacontents.value', 'ledger.before', 'ledger.after'],
  ...['transactions.sent', 'transactions.received'],
];

/** Prepared statements by their text, the least used forgotten: preparing costs several times a look-up. */
export class Statements {
  readonly #kept = new Map<string, Sqlite.Statement>();
  readonly #wide = new WeakMap<Sqlite.Statement, boolean>();

  constructor(private readonly database: Sqlite.Database) {}

  get(sql: string): Sqlite.Statement {
    const kept = this.#kept.get(sql);
    if (kept !== undefined && !kept.busy) {
      this.#kept.delete(sql);
      this.#kept.set(sql, kept);
      return kept;
    }
    const prepared = this.database.prepare(sql);
    if (sql.length <= LONGEST_KEPT) this.#keep(sql, prepared);
    return prepared;
  }

  /** Whether its rows may hold long texts. */
  isWide(statement: Sqlite.Statement): boolean {
    let wide = this.#wide.get(statement);
    if (wide === undefined) {
      wide = statement.columns().some(({ table, column }) => WIDE.includes(`${table}.${column}`));
      this.#wide.set(statement, wide);
    }
    return wide;
  }

  get size(): number {
    return this.#kept.size;
  }

  #keep(sql: string, statement: Sqlite.Statement): void {
    this.#kept.set(sql, statement);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
  }
}
