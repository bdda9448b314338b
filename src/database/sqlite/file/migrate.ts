import Sqlite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';

import { systemClock } from '../../../platform/clock.js';
import type { Tables } from '../../../schema/schema.js';
import { SQLITE_SCHEMA } from '../../../schema/sqlite.js';
import { MIGRATION_NAMES, MIGRATIONS, namesOf, type Migrations } from '../../migrations.js';
import { SqliteConnection } from '../connection.js';
import type { Watcher } from '../faults.js';
import { MAX_WRITE_WAIT_MS } from '../write-groups.js';
import { backupTo } from './backup.js';
import { APPLICATION_ID, inspectFile, type Inspection } from './inspect.js';
import { replaceMarker } from './marker.js';
import { closing, fileBytes, giveIdentity, openFile } from './open-file.js';

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
  inspection: Inspection = inspectFile(file, namesOf(migrations)),
): Promise<MigrationResult> {
  const { state, pending, applied } = inspection;
  if (pending.length === 0) return { applied: [], backup: null };
  const backup = applied.length === 0 ? null : await backupBeforeMigration(file, pending[0] ?? '');
  if (state === 'new') identify(file);
  const database = openFile(file, { readonly: false });
  try {
    const connection = new SqliteConnection(database, watcher);
    const isNew = applied.length === 0;
    if (isNew) await inTransaction(connection, createSchema);
    const left = isNew ? pending.filter((name) => !MIGRATION_NAMES.includes(name)) : pending;
    for (const name of left) await applyMigration(connection, migrations, name);
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

/** Creates all tables in a file without tables, and stores that no migration is pending. */
export async function createSchema(db: Kysely<Tables>): Promise<void> {
  for (const statement of SQLITE_SCHEMA) await sql.raw(statement).execute(db);
  await sql`create table applied_migrations (name text primary key not null, applied_at integer not null)`.execute(
    db,
  );
  for (const name of MIGRATION_NAMES) await markAsApplied(db, name);
}

async function markAsApplied(db: Kysely<Tables>, name: string): Promise<void> {
  const at = systemClock.now().getTime();
  await sql`insert into applied_migrations (name, applied_at) values (${name}, ${at})`.execute(db);
}

async function applyMigration(
  connection: SqliteConnection,
  migrations: Migrations,
  name: string,
): Promise<void> {
  // A migration that recreates a table drops the old one. Enforced foreign keys would delete the rows that
  // refer to it.
  connection.database.pragma('foreign_keys = off');
  try {
    while (await inTransaction(connection, (db) => change(db, migrations, name)));
  } catch (error) {
    throw new Error(`The migration ${name} failed and was rolled back.`, { cause: error });
  }
}

/** Applies a migration, or a part of it; resolves to whether there are parts left. */
async function change(db: Kysely<Tables>, migrations: Migrations, name: string): Promise<boolean> {
  const migration = migrations[name];
  if (migration !== undefined && 'part' in migration) {
    if (await migration.part(db)) return true;
  } else {
    await migration?.sqlite(db);
  }
  await markAsApplied(db, name);
  return false;
}

export async function inTransaction<Result>(
  connection: SqliteConnection,
  use: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  await connection.begin(systemClock.elapsed() + MAX_WRITE_WAIT_MS);
  try {
    const result = await use(connection.db);
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
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

const CHUNK_BYTES = 1024 * 1024;

/** Whether two files have the same content; reads 1 MiB at a time, since they may not fit into memory. */
function sameBytes(one: string, other: string): boolean {
  if (fileBytes(one) !== fileBytes(other)) return false;
  const files = [openSync(one, 'r'), openSync(other, 'r')];
  const chunks = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)] as const;
  try {
    for (;;) {
      const [bytes] = files.map((file, index) => readSync(file, chunks[index] ?? chunks[0]));
      if (!chunks[0].equals(chunks[1])) return false;
      if (bytes === 0) return true;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}
