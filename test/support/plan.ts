import type Sqlite from 'better-sqlite3';

/** How the engine goes about a statement, step by step. */
export function planOf(database: Sqlite.Database, statement: string): string[] {
  const values = Array.from(statement.matchAll(/\?/g), () => null);
  const rows = database.prepare(`explain query plan ${statement}`).all(...values) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}
