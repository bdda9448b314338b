import Sqlite from 'better-sqlite3';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { DatabaseRefused, inspectFile } from './inspect.js';

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
  if (existsSync(target)) throw new DatabaseRefused(`${target} exists already; nothing was overwritten.`);
  if (!existsSync(file)) throw new DatabaseRefused(`There is no database at ${file}.`);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', OWNER_ONLY));
  try {
    await copy(file, unfinished, progress);
    inspectFile(unfinished);
    settle(unfinished, target);
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
  if (!existsSync(backup)) throw new DatabaseRefused(`There is no backup at ${backup}.`);
  const inspection = inspectFile(backup);
  if (inspection.state === 'new') throw new DatabaseRefused(`${backup} is empty: nothing was restored.`);
  await backupTo(backup, file, progress);
}

async function copy(file: string, target: string, progress: Progress): Promise<void> {
  const source = new Sqlite(file, { readonly: true, timeout: 5_000 });
  try {
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

/** On the disk, readable by its owner only, and under its name in one step. */
function settle(from: string, to: string): void {
  chmodSync(from, OWNER_ONLY);
  syncPath(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
