import Sqlite from 'better-sqlite3';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { DomainError } from '../../../platform/errors.js';
import { DatabaseRefused } from '../../database.js';
import { isBusy, isStorageFault } from '../faults.js';
import { unusableFile } from './inspect.js';
import { IDENTITY_OFFSET } from './marker.js';
import { canonicalPath, closing, isOpenInProcess, markOpen } from './open-file.js';

/** 5 seconds in all: enough for another process to create or migrate a database. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;
const OTHER_USERS = 0o077;

export type FileLock = ReturnType<typeof lockFile>;

/**
 * Makes this process the only server of a database file until `release`. The operating system holds the lock, on
 * `DATABASE.lock`, so it ends with the process, even after kill -9. Errors: `DatabaseRefused`.
 */
export function lockFile(file: string) {
  const path = `${canonicalPath(file)}.lock`;
  if (isOpenInProcess(path)) throw inUse(file, `process ${process.pid}`);
  let holder: Sqlite.Database | undefined;
  try {
    keepPrivate(path);
    holder = new Sqlite(path, { timeout: 0 });
    holder.pragma('journal_mode = DELETE');
    holder.exec('begin exclusive');
    holder.pragma(`user_version = ${process.pid}`);
    holder.exec('commit; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    holder?.close();
    if (isStorageFault(error)) throw error;
    if (isBusy(error)) throw inUse(file, ownerOf(path));
    throw unusableFile(`${path} cannot be written`, error, 'This user must be able to write to its folder.');
  }
  const unmark = markOpen(path);
  return {
    release: (): void => {
      holder.close();
      unmark();
    },
  };
}

/** Like `lockFile`, but waits up to 5 seconds while another process holds the lock. */
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

/**
 * Makes sure that no other server has the database open, by another path or with a lock file that was
 * removed. SQLite itself locks the file, whatever its names. The caller holds the lock. Commands may have the
 * database open. `server` is the process id of the last server; 0 if it has closed the database, null if it
 * is unknown. Errors: `busy` if another server may have the database open.
 */
export async function requireNoServer(file: string, server: number | null): Promise<void> {
  for (let attempt = 1; server !== 0 && !isAlone(file); attempt += 1) {
    if (attempt === ATTEMPTS) {
      const name = server === null ? 'another process' : `process ${server}`;
      throw new DomainError(
        'busy',
        `${file} is open, and its server, ${name}, has not closed it: a database file can have one server only. Stop that process first.`,
      );
    }
    await sleep(PAUSE_MS);
  }
}

function isAlone(file: string): boolean {
  return closing(new Sqlite(file, { timeout: 0 }), (database) => {
    try {
      database.pragma('locking_mode = exclusive');
      database.exec('begin exclusive; commit');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  });
}

/** Creates the lock file for its owner only, and removes one that others, who could hold the lock, can open. */
function keepPrivate(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  if (user !== undefined && status !== undefined) {
    if (status.uid === user && (status.mode & OTHER_USERS) === 0) return;
    rmSync(path);
  }
  closeSync(openSync(path, 'a', 0o600));
}

/** The process whose id is in `user_version` of a lock file. */
function ownerOf(path: string): string {
  const header = readFileSync(path);
  return header.length < IDENTITY_OFFSET + 4
    ? 'another process'
    : `process ${header.readUInt32BE(IDENTITY_OFFSET)}`;
}

function inUse(file: string, owner: string): DatabaseRefused {
  return new DatabaseRefused(
    'in_use',
    `${file} is in use by ${owner}; a database file can have one server only. Stop that process, or set DATABASE_URL to another file.`,
  );
}
