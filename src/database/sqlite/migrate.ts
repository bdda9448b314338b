import { existsSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

import { MIGRATIONS } from '../migrations/index.js';
import type { Tables } from '../tables.js';
import { backupTo } from './backup.js';
import { SqliteConnection, type Watcher } from './connection.js';
import { SqliteConnectionDialect } from './dialect.js';
import { APPLICATION_ID, inspectFile, type Inspection } from './inspect.js';
import { openFile } from './open-file.js';
import { sameBytes } from './place.js';
import { createWriterSemaphore } from './writer.js';

export type Migrations = Readonly<Record<string, Migration>>;

const SILENT: Watcher = { onStatement: () => undefined, onFatal: () => undefined, onFault: () => undefined };

export interface Migrated {
  readonly applied: readonly string[];
  /** The copy made before, where there was something to lose. */
  readonly backup: string | null;
}

/**
 * Brings a file to this program's schema, each migration in a transaction of its own. Where records exist, a
 * backup stands beside the file first. A file that is refused by `inspectFile` is not touched. The caller holds
 * the file's lock.
 */
export async function migrateFile(
  file: string,
  migrations: Migrations = MIGRATIONS,
  watcher: Watcher = SILENT,
): Promise<Migrated> {
  const { state, pending, applied } = inspectFile(file, Object.keys(migrations).sort());
  if (pending.length === 0) return { applied: [], backup: null };
  const backup = applied.length === 0 ? null : await backupBefore(file, pending[0] ?? '');
  if (state === 'new') markAsOurs(file);
  const database = openFile(file, { readonly: false });
  try {
    await migrate(new SqliteConnection(database, watcher), migrations, pending);
    return { applied: pending, backup };
  } finally {
    database.close();
  }
}

/** Before there is a log: whoever looks at the file's first bytes then knows whose it is. */
function markAsOurs(file: string): void {
  const database = new Sqlite(file);
  try {
    database.pragma('synchronous = FULL');
    database.pragma(`application_id = ${APPLICATION_ID}`);
  } finally {
    database.close();
  }
}

async function migrate(
  connection: SqliteConnection,
  migrations: Migrations,
  pending: Inspection['pending'],
): Promise<void> {
  const db = new Kysely<Tables>({
    dialect: new SqliteConnectionDialect(connection, createWriterSemaphore()),
  });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  for (const name of pending) {
    const { error } = await migrator.migrateTo(name);
    if (error !== undefined)
      throw new Error(`The migration ${name} failed; nothing of it was kept.`, { cause: error });
  }
}

/** A start that is tried again and again makes one copy, not one each time. */
async function backupBefore(file: string, next: string): Promise<string> {
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
