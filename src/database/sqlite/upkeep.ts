import { sql, type Kysely } from 'kysely';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Tables } from '../../schema/schema.js';
import type { Database, DatabaseBytes } from '../database.js';
import { MIGRATION_NAMES } from '../migrations.js';
import type { FileCheck } from './file/file-check.js';
import { walPath, fileBytes } from './file/paths.js';

/** Free bytes on the disk below which a change and its WAL might not fit. */
const MIN_FREE_BYTES = 8 * 1024 * 1024;

/** Readiness checks; see `Database.checks`. */
export function databaseChecks(
  database: Pick<Database, 'reads' | 'write' | 'health' | 'verify' | 'admit'> & {
    readonly file: string;
    readonly fileCheck: Pick<FileCheck, 'state'> | null;
  },
  { maxLogBytes }: { readonly maxLogBytes: number },
): Database['checks'] {
  let attempt: Promise<void> | null = null;
  return {
    files: () => Promise.resolve(database.verify() === null ? null : 'gone'),
    log: () => Promise.resolve(databaseBytes(database.file).log < maxLogBytes ? null : 'too_long'),
    database: async () => {
      await sql`select 1`.execute(database.reads);
      if (database.health.isWorthATry) {
        attempt ??= tryToWrite(database).finally(() => (attempt = null));
        await attempt;
      }
      return database.health.fault;
    },
    whole_file: () => Promise.resolve(database.fileCheck?.state ?? null),
    migrations: async () => ((await hasAllMigrations(database.reads)) ? null : 'not_current'),
    disk: async () => ((await freeBytes(database.file)) < MIN_FREE_BYTES ? 'full' : null),
  };
}

/**
 * Makes a small write, which shows whether the fault is over. A server that is not ready may get no requests,
 * so no change of a client would show it.
 */
async function tryToWrite({
  write,
  health,
  admit,
}: Pick<Database, 'write' | 'health' | 'admit'>): Promise<void> {
  try {
    admit('other');
    await write(null, async (db) => {
      // The two updates cancel each other out. Without a change, SQLite would not write a page.
      await sql`update applied_migrations set applied_at = applied_at + 1`.execute(db);
      await sql`update applied_migrations set applied_at = applied_at - 1`.execute(db);
    });
    health.recovered();
  } catch {
    // The fault stays as it was reported.
  }
}

async function hasAllMigrations(reads: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from applied_migrations`.execute(reads);
  const applied = rows.map((row) => row.name);
  return applied.length === MIGRATION_NAMES.length && MIGRATION_NAMES.every((name) => applied.includes(name));
}

async function freeBytes(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}

/** Sizes of the database file and of its WAL, in bytes. */
export function databaseBytes(file: string): DatabaseBytes {
  return { file: fileBytes(file), log: fileBytes(walPath(file)) };
}

/**
 * Bytes from which on a WAL is truncated. It never shrinks by itself: it keeps the size of the largest
 * change.
 */
const MAX_WAL_BYTES = 16 * 1024 * 1024;
/** 2 seconds in all; housekeeping tries again at its next run. */
const ATTEMPTS = 20;
const PAUSE_MS = 100;

/** If the WAL is larger than 16 MiB, writes it back into the database and truncates it. */
export async function trimLog(file: string, writes: Kysely<Tables>): Promise<void> {
  // A checkpoint or a reader may prevent that for some time.
  for (let attempt = 1; attempt <= ATTEMPTS && databaseBytes(file).log > MAX_WAL_BYTES; attempt += 1) {
    if (attempt > 1) await sleep(PAUSE_MS);
    await sql`pragma wal_checkpoint(truncate)`.execute(writes);
  }
}
