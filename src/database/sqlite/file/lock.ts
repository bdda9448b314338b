import Sqlite from 'better-sqlite3';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { DomainError } from '../../../platform/errors.js';
import { DatabaseRefused } from '../../database.js';
import { isBusy, isStorageFault } from '../faults.js';
import { unusable } from './inspect.js';
import { canonicalPath, closing, isOpenInProcess, markOpen } from './open-file.js';

/**
 * Offset of `user_version` in the header of a SQLite file. In a lock file, it holds the process id of the
 * owner.
 */
const OWNER_OFFSET = 60;
/** 5 seconds in all: enough for another process to create or migrate a database. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;
const OTHER_USERS = 0o077;

export interface FileLock {
  release(): void;
}

/**
 * Makes this process the only server of a database file until `release`. The lock is held by the operating
 * system on the file `DATABASE.lock`, which only its owner can open, so it ends with the process, even after
 * kill -9. Errors: `DatabaseRefused`.
 */
export function lockFile(file: string): FileLock {
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
    throw isBusy(error) ? inUse(file, ownerOf(path)) : cannotWrite(path, error);
  }
  const unmark = markOpen(path);
  return {
    release: () => {
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
export async function demandNoServer(file: string, server: number | null): Promise<void> {
  for (let attempt = 1; server !== 0 && !isAlone(file); attempt += 1) {
    if (attempt === ATTEMPTS) throw openElsewhere(file, server);
    await sleep(PAUSE_MS);
  }
}

/** Whether no other process has the file open. */
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

function openElsewhere(file: string, server: number | null): DomainError {
  const name = server === null ? 'another process' : `process ${server}`;
  return new DomainError(
    'busy',
    `${file} is open, and its server, ${name}, has not closed it: a database file can have one server only. Stop that process first.`,
  );
}

/**
 * Creates the lock file for its owner only, since every user who can open it can hold the lock. Removes a
 * file that others can open or have created: it is of an older version, or belongs to no server.
 */
function keepPrivate(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  const isPrivate = user === undefined || (status?.uid === user && (status.mode & OTHER_USERS) === 0);
  if (status !== undefined && !isPrivate) rmSync(path);
  if (status === undefined || !isPrivate) closeSync(openSync(path, 'a', 0o600));
}

function cannotWrite(path: string, error: unknown): DatabaseRefused {
  return unusable(`${path} cannot be written`, error, 'This user must be able to write to its folder.');
}

function ownerOf(path: string): string {
  const header = readFileSync(path);
  return header.length < OWNER_OFFSET + 4
    ? 'another process'
    : `process ${header.readUInt32BE(OWNER_OFFSET)}`;
}

function inUse(file: string, owner: string): DatabaseRefused {
  return new DatabaseRefused(
    'in_use',
    `${file} is in use by ${owner}; a database file can have one server only. Stop that process, or set DATABASE_URL to another file.`,
  );
}
