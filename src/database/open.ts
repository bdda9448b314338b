import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';

import type { Database } from './database.js';
import { DatabaseHealth } from './health.js';
import { SqliteConnection, type Watcher } from './sqlite/connection.js';
import { SqliteConnectionDialect } from './sqlite/dialect.js';
import { inspectFile, recognizeFile, unusable } from './sqlite/file/inspect.js';
import { lockFile, lockFileSoon, type FileLock } from './sqlite/file/lock.js';
import { migrateFile } from './sqlite/file/migrate.js';
import { closing, openFile } from './sqlite/file/open-file.js';
import { canonicalPath, markOpen } from './sqlite/file/paths.js';
import { Snapshots } from './sqlite/snapshots.js';
import { createWriterSemaphore } from './sqlite/writer.js';
import type { Tables } from './tables.js';

export interface OpenOptions {
  /** Locks the file for this server until `close`; refuses if another process has locked it. */
  readonly exclusive?: boolean;
  /** Called once, after a failed fsync: acknowledged changes may be lost, so the process must end. */
  readonly onFatal?: (error: unknown) => void;
}

/** Opens a SQLite file; creates and migrates it if necessary. Errors: `DatabaseRefused`. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  makeFolder(dirname(file));
  recognizeFile(file);
  const lock = options.exclusive === true ? lockFile(file) : null;
  try {
    await bringUpToDate(file, lock);
    const database = connect(file, options);
    return {
      ...database,
      close: async () => {
        await database.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

async function bringUpToDate(file: string, lock: FileLock | null): Promise<void> {
  demandWritable(file);
  if (lock === null && inspectFile(file).pending.length === 0) return;
  const held = lock ?? (await lockFileSoon(file));
  try {
    // SQLite gives its log and other files beside the database the mode of the database file.
    if (!existsSync(file)) closeSync(openSync(canonicalPath(file), 'a', 0o600));
    await migrateFile(file);
    writeLogBack(file);
  } finally {
    if (lock === null) held.release();
  }
}

/**
 * Copies the log that a crashed process left into the file and syncs it. A log of which a part may not have reached the
 * disk must not be appended to.
 */
function writeLogBack(file: string): void {
  closing(openFile(file, { readonly: false }), (database) => database.pragma('wal_checkpoint(truncate)'));
}

/** Opens a file that has the current schema. */
export function connect(file: string, options: Pick<OpenOptions, 'onFatal'> = {}): Database {
  const listeners = new Set<(sql: string) => void>();
  const health = new DatabaseHealth();
  const watcher: Watcher = {
    ...reportingTo(health, options),
    onStatement: (sql) => {
      for (const listener of listeners) listener(sql);
    },
    onLongLog: () => snapshots.restartLog(() => writer.restartLog()),
  };
  const writers = createWriterSemaphore();
  const writer = new SqliteConnection(openFile(file, { readonly: false }), watcher);
  const openReader = (): SqliteConnection =>
    new SqliteConnection(openFile(file, { readonly: true }), watcher);
  const reader = openReader();
  const snapshots = new Snapshots(reader, openReader);
  const unmark = markOpen(file);
  return {
    file,
    health,
    writes: new Kysely<Tables>({ dialect: new SqliteConnectionDialect(writer, writers) }),
    reads: new Kysely<Tables>({ dialect: new SqliteConnectionDialect(reader, null) }),
    snapshot: (isSystem, use) => snapshots.use(isSystem, use),
    watchStatements: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await writers.close().catch(() => undefined);
      snapshots.close();
      reader.database.close();
      // SQLite copies the log into the file when the last connection closes.
      writer.database.close();
      unmark();
    },
  };
}

function reportingTo(
  health: DatabaseHealth,
  options: Pick<OpenOptions, 'onFatal'>,
): Pick<Watcher, 'onFatal' | 'onFault'> {
  let isFatal = false;
  return {
    onFatal: (error) => {
      health.reportFatal();
      if (!isFatal) options.onFatal?.(error);
      isFatal = true;
    },
    onFault: (code) => health.report(code),
  };
}

const NOTHING_CHANGED = 'Nothing was changed.';

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(`The folder ${folder} cannot be created`, error, NOTHING_CHANGED);
  }
}

/** SQLite itself would open a file that it cannot write, and fail later. */
function demandWritable(file: string): void {
  if (!existsSync(file)) return;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw unusable(`${file} cannot be written by this user`, error, NOTHING_CHANGED);
  }
}
