import Sqlite from 'better-sqlite3';
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { DatabaseRefused } from '../../refused.js';
import { translate } from '../faults.js';
import { refuseNone } from './check.js';
import { lockFile } from './lock.js';
import { forgetCleanStop } from './marker/clean-stop.js';
import { refuseLoss } from './marker/loss.js';
import { closing } from './open-file.js';
import { canonicalPath, fileBytes } from './paths.js';

/**
 * Copies of the rows that need room: SQLite writes them to a temporary file first, and keeps the former pages
 * in a journal until the end.
 */
const COPIES = 2;

export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/**
 * Rewrites a file without its free pages; after a crash it is unchanged. No server may use it. Returns its
 * sizes in bytes. (`auto_vacuum` would have to be set before the first table, and moves pages with each
 * deletion.) Errors: `DatabaseRefused`; `storage_full`.
 */
export function compactFile(file: string): Compacted {
  refuseNone(file);
  refuseLoss(file);
  const lock = lockFile(file);
  try {
    forgetCleanStop(file);
    return closing(new Sqlite(file, { fileMustExist: true, timeout: 5_000 }), (database) => {
      if (database.pragma('journal_mode = delete', { simple: true }) !== 'delete') throw inUse(file);
      database.pragma('synchronous = FULL');
      const before = fileBytes(file);
      demandRoom(database, file);
      database.exec('vacuum');
      return { before, after: fileBytes(file) };
    });
  } catch (error) {
    const isLocked = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    throw isLocked ? inUse(file) : translate(error);
  } finally {
    lock.release();
  }
}

function demandRoom(database: Sqlite.Database, file: string): void {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  const needed = COPIES * (pages('page_count') - pages('freelist_count')) * pages('page_size');
  const { bavail, bsize } = statfsSync(dirname(canonicalPath(file)));
  if (bavail * bsize >= needed) return;
  throw new DatabaseRefused(
    'unusable',
    `This needs ${needed} free bytes on the disk of ${file}, which has ${bavail * bsize}. Nothing was changed. ` +
      `Copy the database to another disk with db copy instead: the copy has no free pages.`,
  );
}

function inUse(file: string): DatabaseRefused {
  return new DatabaseRefused('in_use', `${file} is in use by another command. Nothing was changed.`);
}
