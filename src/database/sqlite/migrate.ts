import { existsSync, statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';

import { MIGRATIONS } from '../migrations/index.js';
import type { Tables } from '../tables.js';
import { backupTo } from './backup.js';
import { openFile, SqliteConnection, type Watcher } from './connection.js';
import { SqliteConnectionDialect } from './dialect.js';
import { APPLICATION_ID, inspectFile } from './inspect.js';

const SILENT: Watcher = { onStatement: () => undefined, onFatal: () => undefined, onFault: () => undefined };

export interface Migrated {
  readonly applied: readonly string[];
  /** The copy made before, where there was something to lose. */
  readonly backup: string | null;
}

/**
 * Brings a file to this program's schema, each migration in a transaction of its own. Where records exist, a
 * backup stands beside the file first. A file that is refused by `inspectFile` is not touched.
 */
export async function migrateFile(file: string): Promise<Migrated> {
  const { pending, applied } = inspectFile(file);
  if (pending.length === 0) return { applied: [], backup: null };
  const backup = applied.length === 0 ? null : await backupBefore(file, pending[0] ?? '');
  const database = openFile(file, { readonly: false });
  try {
    database.pragma(`application_id = ${APPLICATION_ID}`);
    return { applied: await migrate(database, pending), backup };
  } finally {
    database.close();
  }
}

async function migrate(database: Sqlite.Database, pending: readonly string[]): Promise<readonly string[]> {
  const connection = new SqliteConnection(database, SILENT);
  const db = new Kysely<Tables>({ dialect: new SqliteConnectionDialect(connection, 'write') });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) },
  });
  for (const name of pending) {
    const { error } = await migrator.migrateTo(name);
    if (error !== undefined)
      throw new Error(`The migration ${name} failed; nothing of it was kept.`, { cause: error });
  }
  return pending;
}

async function backupBefore(file: string, next: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const target = `${file}.before-${next}${copy === 1 ? '' : `.${copy}`}`;
    if (existsSync(target) && statSync(target).size > 0) continue;
    await backupTo(file, target);
    return target;
  }
}
