import { sql } from 'kysely';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { MIGRATION_NAMES } from '../migrations/index.js';
import type { Database } from '../open.js';
import { logOf, fileBytes } from './place.js';

/** With less, a change might not find room for itself and its log. */
const LEAST_FREE_BYTES = 8 * 1024 * 1024;

/** What must hold for the database to serve; each resolves to null, or to why it does not. */
export function databaseChecks(database: Database): Readonly<Record<string, () => Promise<string | null>>> {
  return {
    database: async () => {
      await sql`select 1`.execute(database.reads);
      return database.health.fault;
    },
    migrations: async () => ((await hasAllMigrations(database)) ? null : 'not_current'),
    disk: async () => ((await freeBytes(database)) < LEAST_FREE_BYTES ? 'full' : null),
  };
}

async function hasAllMigrations({ reads }: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(reads);
  const applied = rows.map((row) => row.name);
  return applied.length === MIGRATION_NAMES.length && MIGRATION_NAMES.every((name) => applied.includes(name));
}

async function freeBytes({ file }: Database): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}

/** Bytes of the file and of its log. */
export function databaseBytes({ file }: Database): { readonly file: number; readonly log: number } {
  return { file: fileBytes(file), log: fileBytes(logOf(file)) };
}

/** The log keeps the size of the largest change it ever held. */
const LARGEST_LOG_BYTES = 16 * 1024 * 1024;

/** Where the log has grown large, writes it back into the file and gives its room back. */
export async function trimLog(database: Database): Promise<void> {
  if (databaseBytes(database).log <= LARGEST_LOG_BYTES) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(database.writes);
}
