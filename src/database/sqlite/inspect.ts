import Sqlite from 'better-sqlite3';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

import { MIGRATION_NAMES } from '../migrations/index.js';

/** "TGW1": what marks a SQLite file as this server's. */
export const APPLICATION_ID = 0x54475731;

/** Why a database cannot be used as it is; the file was not touched. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

export interface Inspection {
  readonly state: 'new' | 'current' | 'older';
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Looks at a database file without changing it, and refuses what is damaged, foreign or newer. */
export function inspectFile(file: string): Inspection {
  if (!existsSync(file) || statSync(file).size === 0) {
    return { state: 'new', applied: [], pending: MIGRATION_NAMES };
  }
  if (!hasSqliteHeader(file)) throw new DatabaseRefused(`${file} is not a SQLite database. ${ADVICE}`);
  const database = openForLooking(file);
  try {
    refuseForeign(database, file);
    refuseDamaged(database, file);
    const applied = appliedMigrations(database);
    refuseNewer(applied, file);
    const pending = MIGRATION_NAMES.filter((name) => !applied.includes(name));
    return { state: pending.length === 0 ? 'current' : 'older', applied, pending };
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) throw damaged(file, error.message);
    throw error;
  } finally {
    database.close();
  }
}

const ADVICE =
  'Nothing was changed. Put a good copy in its place: terminal-gateway db restore FILE, or name another file in DATABASE_URL.';

function hasSqliteHeader(file: string): boolean {
  const header = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, 16, 0);
  } finally {
    closeSync(descriptor);
  }
  return header.toString('latin1') === 'SQLite format 3\0';
}

function openForLooking(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { readonly: true, timeout: 5_000 });
  } catch (error) {
    throw new DatabaseRefused(`${file} cannot be opened (${(error as Error).message}). ${ADVICE}`, {
      cause: error,
    });
  }
}

function refuseForeign(database: Sqlite.Database, file: string): void {
  if (database.pragma('application_id', { simple: true }) === APPLICATION_ID) return;
  const tables = database.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number };
  if (tables.tables === 0) return;
  throw new DatabaseRefused(`${file} is a database of another program. ${ADVICE}`);
}

function refuseDamaged(database: Sqlite.Database, file: string): void {
  const answer = database.pragma('quick_check(1)', { simple: true });
  if (answer !== 'ok') throw damaged(file, String(answer));
}

function damaged(file: string, detail: string): DatabaseRefused {
  return new DatabaseRefused(`${file} is damaged (${detail.split('\n')[0] ?? ''}). ${ADVICE}`);
}

function appliedMigrations(database: Sqlite.Database): readonly string[] {
  const known = database.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (known === undefined) return [];
  const rows = database.prepare('select name from kysely_migration order by name').all() as {
    name: string;
  }[];
  return rows.map((row) => row.name);
}

function refuseNewer(applied: readonly string[], file: string): void {
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length === 0) return;
  throw new DatabaseRefused(
    `The database is newer than this program: ${file} has ${unknown.join(', ')}. Nothing was changed. Start the newer version, or restore the backup made before it.`,
  );
}
