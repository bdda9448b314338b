import Sqlite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, rmSync } from 'node:fs';

import { systemClock } from '../../../platform/clock.js';
import type { Tables } from '../../../schema/schema.js';
import {
  type Migration,
  MIGRATION_NAMES,
  MIGRATIONS,
  type Migrations,
  namesOf,
  type RowMigration,
} from '../../migrations.js';
import { SqliteConnection } from '../connection.js';
import type { Watcher } from '../faults.js';
import { WriteGroups } from '../write-groups.js';
import { backupTo } from './backup.js';
import { APPLICATION_ID, inspectFile, type Inspection } from './inspect.js';
import { replaceMarker } from './marker.js';
import { closing, giveIdentity, openFile } from './open-file.js';
import { FINGERPRINT, SCHEMA } from './schema.js';

export const SILENT: Watcher = {
  onStatement: () => undefined,
  onFatal: () => undefined,
  onFault: () => undefined,
};

/**
 * Applies pending migrations; a file without tables gets the whole schema at once. A database with a schema is first
 * backed up to `FILE.before-MIGRATION`, which is `backup`. The caller holds the lock. Errors: `DatabaseRefused`.
 */
export async function migrateFile(
  file: string,
  migrations: Migrations = MIGRATIONS,
  watcher: Watcher = SILENT,
  inspection: Inspection = inspectFile(file, namesOf(migrations)),
): Promise<{ readonly applied: readonly string[]; readonly backup: string | null }> {
  const { state, pending, applied } = inspection;
  if (pending.length === 0) return { applied: [], backup: null };
  const backup = applied.length === 0 ? null : await backupBeforeMigration(file, pending[0] ?? '');
  if (state === 'new') identify(file);
  const database = openFile(file, { readonly: false });
  try {
    const groups = new WriteGroups(new SqliteConnection(database, watcher), { fault: null });
    const isNew = applied.length === 0;
    if (isNew) await groups.run(null, createSchema);
    // A migration may drop a table and make it again. Enforced foreign keys would delete rows that refer to it.
    database.pragma('foreign_keys = off');
    const left = isNew ? pending.filter((name) => !MIGRATION_NAMES.includes(name)) : pending;
    for (const name of left) await applyMigration(groups, migrations, name);
    return { applied: pending, backup };
  } finally {
    database.close();
  }
}

/** Writes application id and identity without WAL, so that the header has them, and the marker before there is a log. */
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

/** Stores that no migration is pending, too. */
async function createSchema(db: Kysely<Tables>): Promise<void> {
  for (const statement of SCHEMA) await sql.raw(statement).execute(db);
  for (const name of MIGRATION_NAMES) await markAsApplied(db, name);
}

async function markAsApplied(db: Kysely<Tables>, name: string, needs: string | null = null): Promise<void> {
  const at = systemClock.now().getTime();
  await sql`insert into applied_migrations (name, applied_at, fingerprint, needs)
    values (${name}, ${at}, ${FINGERPRINT}, ${needs})`.execute(db);
}

async function applyMigration(groups: WriteGroups, migrations: Migrations, name: string): Promise<void> {
  const migration = migrations[name];
  try {
    if (migration !== undefined && 'part' in migration) {
      let place: Awaited<ReturnType<typeof migration.part>> = [];
      while (place !== null) {
        const after: readonly number[] = place;
        place = await groups.run(null, (db) => migration.part(db, after));
      }
    }
    await groups.run(null, async (db) => {
      if (migration !== undefined && !('part' in migration)) await changeTables(db, migration);
      await markAsApplied(db, name, migration?.needs);
    });
  } catch (error) {
    throw new Error(`The migration ${name} failed and was rolled back.`, { cause: error });
  }
}

async function changeTables(db: Kysely<Tables>, migration: Exclude<Migration, RowMigration>): Promise<void> {
  if ('sqlite' in migration) {
    await migration.sqlite(db);
    return;
  }
  const { name, table, columns } = migration.index;
  await sql.raw(`create index ${name} on ${table} ${columns}`).execute(db);
}

/** Returns the path of the backup. Repeated attempts on an unchanged database keep only one backup. */
async function backupBeforeMigration(file: string, next: string): Promise<string> {
  // Sets the journal mode, which is part of the file and would otherwise change after the first backup.
  openFile(file, { readonly: false }).close();
  const pathOf = (copy: number): string => `${file}.before-${next}${copy === 1 ? '' : `.${copy}`}`;
  let copy = 1;
  while (existsSync(pathOf(copy))) copy += 1;
  const [latest, target] = [pathOf(copy - 1), pathOf(copy)];
  await backupTo(file, target);
  if (copy === 1 || (await digestOf(latest)) !== (await digestOf(target))) return target;
  rmSync(target);
  return latest;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
