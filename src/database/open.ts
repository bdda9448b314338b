import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';

import { DatabaseHealth } from './health.js';
import { SqliteConnection, type Watcher } from './sqlite/connection.js';
import { SqliteConnectionDialect } from './sqlite/dialect.js';
import { DatabaseRefused, inspectFile, recognizeFile } from './sqlite/inspect.js';
import { lockFile, lockFileSoon, type FileLock } from './sqlite/lock.js';
import { migrateFile } from './sqlite/migrate.js';
import { openFile } from './sqlite/open-file.js';
import { canonicalPath, markOpen } from './sqlite/paths.js';
import { Turns } from './sqlite/turns.js';
import type { Tables } from './tables.js';

/** The database as units of work use it: one handle for reads, one for writes, on one file. */
export interface Database {
  readonly file: string;
  readonly reads: Kysely<Tables>;
  readonly writes: Kysely<Tables>;
  /** Calls `listener` with the text of each statement until the returned function is called. */
  watchStatements(listener: (sql: string) => void): () => void;
  readonly health: DatabaseHealth;
  /** Lets writes that are under way finish, and writes the log back into the file. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Refuses where another process serves the file, and keeps others from serving it until `close`. */
  readonly exclusive?: boolean;
  /** Called once when the engine can no longer promise that what it acknowledges is kept. */
  readonly onFatal?: (error: unknown) => void;
}

/** Opens a SQLite file, creating and migrating it where needed. Errors: `DatabaseRefused`. */
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
    // The log and whatever else the engine puts beside the file get the file's own mode.
    if (!existsSync(file)) closeSync(openSync(canonicalPath(file), 'a', 0o600));
    await migrateFile(file);
    writeLogBack(file);
  } finally {
    if (lock === null) held.release();
  }
}

/**
 * What a process that died left in the log goes into the file now, and is synced there: a log of which a part once
 * failed to reach the disk must not carry anything new.
 */
function writeLogBack(file: string): void {
  const database = openFile(file, { readonly: false });
  try {
    database.pragma('wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

/** Opens a file that is known to be current. */
export function connect(file: string, options: Pick<OpenOptions, 'onFatal'> = {}): Database {
  const listeners = new Set<(sql: string) => void>();
  const health = new DatabaseHealth();
  let fatal = false;
  const watcher: Watcher = {
    onStatement: (sql) => {
      for (const listener of listeners) listener(sql);
    },
    onFatal: (error) => {
      health.reportFatal();
      if (!fatal) options.onFatal?.(error);
      fatal = true;
    },
    onFault: (code) => health.report(code),
  };
  const turns = new Turns();
  const writer = new SqliteConnection(openFile(file, { readonly: false }), watcher);
  const reader = new SqliteConnection(openFile(file, { readonly: true }), watcher);
  const unmark = markOpen(file);
  return {
    file,
    health,
    writes: new Kysely<Tables>({ dialect: new SqliteConnectionDialect(writer, turns) }),
    reads: new Kysely<Tables>({ dialect: new SqliteConnectionDialect(reader, null) }),
    watchStatements: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await turns.close().catch(() => undefined);
      reader.database.close();
      // The last connection to close writes the log back into the file.
      writer.database.close();
      unmark();
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseRefused('unusable', `${folder} cannot be made (${(error as Error).message}).`, error);
  }
}

/** The engine itself would quietly open what it cannot write, and fail later. */
function demandWritable(file: string): void {
  if (!existsSync(file)) return;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DatabaseRefused(
      'unusable',
      `${file} cannot be written by this user (${(error as Error).message}). Nothing was changed.`,
      error,
    );
  }
}
