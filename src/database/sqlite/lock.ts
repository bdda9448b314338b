import Sqlite from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { isBusy } from './faults.js';
import { DatabaseRefused } from './inspect.js';
import { isOpenHere, markOpen, realPlace } from './place.js';

/** Where the header of a SQLite file keeps its `user_version`, which here is the owner's process id. */
const OWNER_OFFSET = 60;
/** Long enough for another process to finish making or migrating the database. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

export interface FileLock {
  release(): void;
}

/**
 * Makes this process the only server of a database file until `release`. The lock is the operating system's,
 * on a file beside the database, so it ends with its owner however that ends, and no stale one is left.
 */
export function lockFile(file: string): FileLock {
  const path = `${realPlace(file)}.lock`;
  if (isOpenHere(path)) throw inUse(file, `process ${process.pid}`);
  const holder = openLock(path);
  try {
    holder.pragma('journal_mode = DELETE');
    holder.exec('begin exclusive');
    holder.pragma(`user_version = ${process.pid}`);
    holder.exec('commit; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    holder.close();
    if (isBusy(error)) throw inUse(file, ownerIn(path));
    throw unusable(path, error);
  }
  const unmark = markOpen(path);
  return {
    release: () => {
      holder.close();
      unmark();
    },
  };
}

/** The same, after waiting a few seconds for an owner who may soon be done. */
export async function lockFileSoon(file: string): Promise<FileLock> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockFile(file);
    } catch (error) {
      const held = error instanceof DatabaseRefused && error.reason === 'in_use';
      if (!held || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function openLock(path: string): Sqlite.Database {
  try {
    return new Sqlite(path, { timeout: 0 });
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): DatabaseRefused {
  return new DatabaseRefused(
    'unusable',
    `${path} cannot be written (${(error as Error).message}). The folder of the database must be writable for this user.`,
    error,
  );
}

function ownerIn(path: string): string {
  const header = readFileSync(path);
  return header.length < OWNER_OFFSET + 4
    ? 'another process'
    : `process ${header.readUInt32BE(OWNER_OFFSET)}`;
}

function inUse(file: string, owner: string): DatabaseRefused {
  return new DatabaseRefused(
    'in_use',
    `${file} is in use by ${owner}: one server for each database file. Stop that one first, or name another file in DATABASE_URL.`,
  );
}
