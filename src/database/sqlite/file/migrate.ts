import { existsSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

import { MIGRATIONS } from '../migrations/index.js';
import type { Tables } from '../../tables/tables.js';
import { backupTo } from './backup.js';
import { SqliteConnection } from '../connections/connection.js';
import type { Watcher } from '../connections/watcher.js';
import { SqliteConnectionDialect } from '../connections/dialect.js';
import { APPLICATION_ID, inspectFile, type Inspection } from './inspect.js';
import { replaceMarker } from './marker/marker.js';
import { createNewSchema } from './new-schema.js';
import { closing, giveIdentity, openFile } from './open-file.js';
import { sameBytes } from './paths.js';

export type Migrations = Readonly<Record<string, Migration>>;

export const SILENT: Watcher = {
  onStatement: () => undefined,
  onFatal: () => undefined,
  onFault: () => undefined,
};

export interface MigrationResult {
  readonly applied: readonly string[];
  /** Path of the backup that was made before; null for a new database. */
  readonly backup: string | null;
}

/**
 * Applies pending migrations, each in its own transaction; a file without tables gets the whole schema at
 * once. A database with a schema is first backed up to `FILE.before-MIGRATION`. The caller holds the file's
 * lock. Errors: `DatabaseRefused`, before anything is changed.
 */
export async function migrateFile(
  file: string,
  migrations: Migrations = MIGRATIONS,
  watcher: Watcher = SILENT,
  inspection: Inspection = inspectFile(file, Object.keys(migrations).sort()),
): Promise<MigrationResult> {
  const { state, pending, applied } = inspection;
  if (pending.length === 0) return { applied: [], backup: null };
  const backup = applied.length === 0 ? null : await backupBeforeMigration(file, pending[0] ?? '');
  if (state === 'new') identify(file);
  const database = openFile(file, { readonly: false });
  try {
    const connection = new SqliteConnection(database, watcher);
    if (migrations === MIGRATIONS && isWithoutTables(database)) await createNewSchema(kyselyOf(connection));
    else await applyMigrations(connection, migrations, pending);
    return { applied: pending, backup };
  } finally {
    database.close();
  }
}

/**
 * Writes the application id and the identity without WAL, so that the header of the file has both from the
 * start. The marker is written before there is a log: a database with a log but without a marker counts as
 * copied in part.
 */
function identify(file: string): void {
  const identity = closing(new Sqlite(file), (database) => {
    database.pragma('synchronous = FULL');
    database.exec(`begin immediate; pragma application_id = ${APPLICATION_ID}`);
    const given = giveIdentity(database);
    database.exec('commit');
    return given;
  });
  replaceMarker(file, { identity, head: 0, at: 0 });
}

export async function applyMigrations(
  connection: SqliteConnection,
  migrations: Migrations,
  pending: Inspection['pending'],
): Promise<void> {
  // A migration that recreates a table drops the old one. Enforced foreign keys would delete the rows that
  // refer to it.
  connection.database.pragma('foreign_keys = off');
  const db = kyselyOf(connection);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  for (const name of pending) {
    const { error } = await migrator.migrateTo(name);
    if (error === undefined) continue;
    throw new Error(`The migration ${name} failed and was rolled back.`, { cause: error });
  }
}

function kyselyOf(connection: SqliteConnection): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteConnectionDialect(connection, null) });
}

function isWithoutTables(database: Sqlite.Database): boolean {
  return database.prepare('select 1 from sqlite_schema').get() === undefined;
}

/** Returns the path of the backup. Repeated attempts on an unchanged database keep only one backup. */
async function backupBeforeMigration(file: string, next: string): Promise<string> {
  // Sets the mode, which is part of the file: otherwise only the first attempt would change it, after its
  // backup.
  closing(openFile(file, { readonly: false }), () => undefined);
  let latest: string | null = null;
  for (let copy = 1; ; copy += 1) {
    const target = `${file}.before-${next}${copy === 1 ? '' : `.${copy}`}`;
    if (existsSync(target)) {
      latest = target;
      continue;
    }
    await backupTo(file, target);
    if (latest === null || !sameBytes(latest, target)) return target;
    rmSync(target);
    return latest;
  }
}
