import Sqlite from 'better-sqlite3';
import { chmodSync, closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { syncPath } from '../../../platform/files.js';
import { DatabaseRefused, unusable } from '../../database.js';
import type { Progress } from '../../tools.js';
import { translate } from '../faults.js';
import { inspectFile, noDatabaseAt, recognizeFile } from './inspect.js';
import { headOf, keepLog, refuseLoss } from './loss.js';
import { removeMarker, replaceMarker } from './marker.js';
import { closing, fileBytes, giveIdentity, walPath } from './open-file.js';

const PAGES_PER_STEP = 2_000;
const OWNER_ONLY = 0o600;

/**
 * Copies a database, which may be in use, to a new file that only its owner can read. The copy has every
 * change that was acknowledged before it began. If it fails, no file is left. Calls `progress` with the number of
 * pages copied so far, and of all pages. Errors: `DatabaseRefused` if `target` exists, or if `file` is missing or
 * damaged.
 */
export async function backupTo(
  file: string,
  target: string,
  progress: Progress = () => undefined,
  purpose: 'backup' | 'restore' = 'backup',
): Promise<void> {
  refuseExisting(target);
  if (recognizeFile(file) === 'new') throw noDatabaseAt(file);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  const endLog = purpose === 'backup' ? keepLog(file) : (): void => undefined;
  try {
    closeSync(openSync(unfinished, 'wx', OWNER_ONLY));
    await copy(file, unfinished, progress);
    finishCopy(unfinished, file, purpose);
    if (purpose === 'restore') removeMarker(target);
    publish(unfinished, target);
    if (purpose === 'restore') replaceMarker(target, headOf(target));
  } catch (error) {
    throw translate(error);
  } finally {
    endLog();
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + suffix, { force: true });
  }
}

/** Creates the database `file` from a backup, after checking it. Errors: `DatabaseRefused`. */
export async function restoreFrom(backup: string, file: string, progress?: Progress): Promise<void> {
  refuseExisting(file);
  if (!existsSync(backup)) throw unusable(`There is no backup at ${backup}.`);
  if (inspectFile(backup).state === 'new') throw unusable(`${backup} is empty: nothing was restored.`);
  refuseLoss(backup);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would apply an old WAL to the restored database.
  if (fileBytes(walPath(file)) > 0) {
    const log = walPath(file);
    throw unusable(`${log} is the log of another database: move it away first. Nothing was restored.`);
  }
  await backupTo(backup, file, progress, 'restore');
}

async function copy(file: string, target: string, progress: Progress): Promise<void> {
  const source = new Sqlite(file, { readonly: true });
  try {
    // Without a read transaction, each change by another connection would restart the copy.
    source.exec('begin; select count(*) from sqlite_schema');
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
}

/** Checks the copy, turns WAL mode off, and gives a restored database an identity of its own. */
function finishCopy(copied: string, file: string, purpose: 'backup' | 'restore'): void {
  closing(new Sqlite(copied), (database) => {
    const result = database.pragma('quick_check(1)', { simple: true });
    if (result !== 'ok') {
      throw new DatabaseRefused('damaged', `${file} is damaged: no copy was made (${String(result)}).`);
    }
    database.pragma('journal_mode = DELETE');
    if (purpose === 'restore') giveIdentity(database);
  });
}

/** Writes the copy to the disk, readable by its owner only, and gives it its final name in one step. */
function publish(from: string, to: string): void {
  chmodSync(from, OWNER_ONLY);
  syncPath(from);
  try {
    linkSync(from, to);
  } catch {
    refuseExisting(to);
    // Some file systems do not support links.
    renameSync(from, to);
  }
  syncPath(dirname(to));
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new DatabaseRefused(
    'exists',
    `${file} exists and is not overwritten: move it away, or name another file.`,
  );
}
