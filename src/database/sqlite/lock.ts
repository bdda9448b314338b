import Sqlite from 'better-sqlite3';
import { readFileSync } from 'node:fs';

import { isBusy } from './faults.js';
import { DatabaseRefused } from './inspect.js';

/** Where the header of a SQLite file keeps its `user_version`, which here is the owner's process id. */
const OWNER_OFFSET = 60;

/**
 * Makes this process the only server of a database file until `release`. The lock is the operating system's,
 * on a file beside the database, so it ends with its owner however that ends, and no stale one is left.
 */
export function lockFile(file: string): { release: () => void } {
  const path = `${file}.lock`;
  const holder = new Sqlite(path, { timeout: 0 });
  try {
    holder.pragma('journal_mode = DELETE');
    holder.exec('begin exclusive');
    holder.pragma(`user_version = ${process.pid}`);
    holder.exec('commit; pragma locking_mode = exclusive; begin exclusive');
    return { release: () => holder.close() };
  } catch (error) {
    holder.close();
    if (isBusy(error)) throw new DatabaseRefused(inUse(file, path));
    throw error;
  }
}

function inUse(file: string, path: string): string {
  const header = readFileSync(path);
  const owner =
    header.length < OWNER_OFFSET + 4 ? 'another process' : `process ${header.readUInt32BE(OWNER_OFFSET)}`;
  return `${file} is in use by ${owner}: one server for each database file. Stop that one first, or name another file in DATABASE_URL.`;
}
