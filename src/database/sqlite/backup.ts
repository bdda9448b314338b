import Sqlite from 'better-sqlite3';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { translate } from './faults.js';
import { DatabaseRefused, inspectFile, recognizeFile } from './inspect.js';
import { logOf, fileBytes } from './place.js';

const PAGES_AT_A_TIME = 2_000;
const OWNER_ONLY = 0o600;

export type Progress = (done: number, total: number) => void;

/**
 * Copies a database, also one in use, to a new file that only its owner may read. What was acknowledged before
 * the copy began is inside. An existing file is never overwritten, and a copy that fails leaves none behind.
 */
export async function backupTo(
  file: string,
  target: string,
  progress: Progress = () => undefined,
): Promise<void> {
  if (existsSync(target)) throw existsAlready(target);
  if (recognizeFile(file) === 'new') {
    throw new DatabaseRefused('unusable', `There is no database at ${file}.`);
  }
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', OWNER_ONLY));
  try {
    await copy(file, unfinished, progress);
    makeWhole(unfinished, file);
    settle(unfinished, target);
  } catch (error) {
    throw translate(error);
  } finally {
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + rest, { force: true });
  }
}

/** Puts a backup in the place of a database that does not exist yet, after checking it. */
export async function restoreFrom(
  backup: string,
  file: string,
  progress: Progress = () => undefined,
): Promise<void> {
  if (!existsSync(backup)) throw new DatabaseRefused('unusable', `There is no backup at ${backup}.`);
  const { state } = inspectFile(backup);
  if (state === 'new') {
    throw new DatabaseRefused('unusable', `${backup} is empty: nothing was restored.`);
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The engine would take what stands in it for the newest changes of the restored database.
  if (fileBytes(logOf(file)) > 0) {
    throw new DatabaseRefused(
      'unusable',
      `${logOf(file)} is the log of another database: move it away first. Nothing was restored.`,
    );
  }
  await backupTo(backup, file, progress);
}

async function copy(file: string, target: string, progress: Progress): Promise<void> {
  const source = new Sqlite(file, { readonly: true });
  try {
    // One state of the database throughout: without it, each change meanwhile would start the copy anew.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
        return PAGES_AT_A_TIME;
      },
    });
  } finally {
    source.close();
  }
}

/** Checks the copy, and makes it a file that needs no log beside it to be read. */
function makeWhole(copied: string, file: string): void {
  const database = new Sqlite(copied);
  try {
    const answer = database.pragma('quick_check(1)', { simple: true });
    if (answer !== 'ok') {
      throw new DatabaseRefused('damaged', `${file} is damaged: no copy was made (${String(answer)}).`);
    }
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** On the disk, readable by its owner only, and under its name in one step. */
function settle(from: string, to: string): void {
  chmodSync(from, OWNER_ONLY);
  syncPath(from);
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existsAlready(to);
    // Some file systems know no links.
    renameSync(from, to);
  }
  syncPath(dirname(to));
}

function existsAlready(target: string): DatabaseRefused {
  return new DatabaseRefused('unusable', `${target} exists already; nothing was overwritten.`);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
