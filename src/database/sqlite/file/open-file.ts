import Sqlite from 'better-sqlite3';
import { randomInt } from 'node:crypto';

/** Milliseconds that opening waits, since another process may be closing or recovering the same file. */
const OPEN_TIMEOUT_MS = 5_000;
/**
 * Milliseconds that a reader waits for a lock. SQLite waits synchronously, which blocks the process. Writers
 * do not wait inside SQLite at all.
 */
const READER_TIMEOUT_MS = 20;
/** Bytes to which a WAL is truncated that grew larger during a long read. */
const MAX_WAL_BYTES = 16 * 1024 * 1024;

/**
 * Cache of the connection that writes, in KiB. SQLite's default of 2 MiB holds only a small part of the
 * indexes that changes of a large database write to.
 */
const WRITER_CACHE_KIB = 32 * 1024;

const MAX_IDENTITY = 2 ** 31;

/**
 * Without these settings, acknowledged changes could be lost, and foreign keys or triggers would not be
 * enforced. `mmap_size` is not set: with it, an error of the disk would end the process.
 */
const REQUIRED_PRAGMAS = {
  journal_mode: 'wal',
  /** FULL: each commit is written to the disk. */
  synchronous: 2,
  foreign_keys: 1,
  /** Otherwise a row that replaces another deletes it without firing delete triggers. */
  recursive_triggers: 1,
  trusted_schema: 0,
} as const;

/** Calls `use` with an open connection, and closes it in any case. */
export function closing<T>(database: Sqlite.Database, use: (database: Sqlite.Database) => T): T {
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/**
 * Opens a connection whose commits are durable. Errors: an `Error` if SQLite does not accept a required
 * setting.
 */
export function openFile(file: string, { readonly }: { readonly readonly: boolean }): Sqlite.Database {
  const database = new Sqlite(file, { readonly, timeout: OPEN_TIMEOUT_MS });
  try {
    for (const [pragma, value] of Object.entries(REQUIRED_PRAGMAS)) {
      const isFixed = readonly && pragma === 'journal_mode';
      if (!isFixed) database.pragma(`${pragma} = ${value}`);
      const actual = database.pragma(pragma, { simple: true });
      if (actual !== value) throw new Error(`SQLite runs with ${pragma}=${String(actual)}, not ${value}`);
    }
    // SQLite's automatic checkpoints do not report their errors; SqliteConnection runs them itself.
    database.pragma('wal_autocheckpoint = 0');
    database.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
    if (!readonly) database.pragma(`cache_size = ${-WRITER_CACHE_KIB}`);
    database.pragma(`busy_timeout = ${readonly ? READER_TIMEOUT_MS : 0}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Closes a connection that can write. The last one copies the log into the file, and turns WAL mode off, so
 * that the file is known to be complete without a log. While others have the database open, that fails, and
 * the last of them does it. Returns whether it was the last one.
 */
export function closeWhole(database: Sqlite.Database): boolean {
  let isLast = false;
  try {
    isLast = database.pragma('journal_mode = delete', { simple: true }) === 'delete';
  } catch {
    // The file stays in WAL mode, which the marker covers.
  }
  database.close();
  return isLast;
}

/** Gives a database a new random number, and returns it. */
export function giveIdentity(database: Sqlite.Database): number {
  const identity = randomInt(1, MAX_IDENTITY);
  database.pragma(`user_version = ${identity}`);
  return identity;
}
