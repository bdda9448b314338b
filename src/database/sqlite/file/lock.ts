import Sqlite from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { isBusy } from '../faults.js';
import { DatabaseRefused, unusable } from './inspect.js';
import { isOpenInProcess, markOpen, canonicalPath } from './paths.js';

/** Offset of `user_version` in the header of a SQLite file; a lock file holds the owner's process id there. */
const OWNER_OFFSET = 60;
/** 5 seconds in all: enough for another process to create or migrate a database. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

export interface FileLock {
  release(): void;
}

/**
 * Makes this process the only server of a database file until `release`. The lock is held by the operating system on
 * the file `DATABASE.lock`, so it ends with the process, even after kill -9. Errors: `DatabaseRefused`.
 */
export function lockFile(file: string): FileLock {
  const path = `${canonicalPath(file)}.lock`;
  if (isOpenInProcess(path)) throw inUse(file, `process ${process.pid}`);
  let holder: Sqlite.Database | undefined;
  try {
    holder = new Sqlite(path, { timeout: 0 });
    holder.pragma('journal_mode = DELETE');
    holder.exec('begin exclusive');
    holder.pragma(`user_version = ${process.pid}`);
    holder.exec('commit; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    holder?.close();
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
