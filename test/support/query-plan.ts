import type Sqlite from 'better-sqlite3';

/** The steps of SQLite's query plan for a statement, for example `SEARCH groups USING INDEX …`. */
export function planOf(database: Sqlite.Database, statement: string): string[] {
  const values = Array.from(statement.matchAll(/\?/g), () => null);
  const rows = database.prepare(`explain query plan ${statement}`).all(...values) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p3: number;
}

/** Instructions of SQLite's virtual machine for a statement. */
export function programOf(database: Sqlite.Database, statement: string): Instruction[] {
  const values = Array.from(statement.matchAll(/\?/g), () => null);
  return database.prepare(`explain ${statement}`).all(...values) as Instruction[];
}
