import Sqlite from 'better-sqlite3';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { folded } from '../../../platform/card-data/text-search.js';

/** Absolute path without symbolic links. The folder must exist; the file, or what a link names, need not. */
export function canonicalPath(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return canonicalPath(resolve(dirname(file), readlinkSync(file)));
  }
  return join(realpathSync(dirname(file)), basename(file));
}

/** Size in bytes; 0 if there is no such file. */
export const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Path of the write-ahead log (WAL) of a database file. */
export const walPath = (file: string): string => `${canonicalPath(file)}-wal`;

/** Path of the rollback journal, which remains if a process dies while it writes without a WAL. */
export const rollbackJournalPath = (file: string): string => `${canonicalPath(file)}-journal`;

interface OpenFile {
  /** Number of `markOpen` calls in effect. */
  users: number;
  /** Descriptor that stays open until there are no users. */
  descriptor: number | null;
}

const openFiles = new Map<string, OpenFile>();

/**
 * Marks a file as open in this process until the returned function is called. Meanwhile only SQLite may open it: closing
 * any other descriptor of it would release SQLite's locks.
 */
export function markOpen(file: string): () => void {
  const path = canonicalPath(file);
  const opened = openFiles.get(path) ?? { users: 0, descriptor: null };
  opened.users += 1;
  openFiles.set(path, opened);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    opened.users -= 1;
    if (opened.users > 0) return;
    openFiles.delete(path);
    if (opened.descriptor !== null) closeSync(opened.descriptor);
  };
}

/** A descriptor for reading a file that is marked as open. The caller must never close it. */
export function openDescriptor(file: string): number {
  const opened = openFiles.get(canonicalPath(file));
  if (opened === undefined) throw new Error(`${file} is not marked as open`);
  return (opened.descriptor ??= openSync(file, 'r'));
}

export function isOpenInProcess(file: string): boolean {
  return existsSync(file) && openFiles.has(canonicalPath(file));
}

/** Path of the file whose modification time is the time of the last backup. */
export const lastBackupOf = (file: string): string => `${file}.last-backup`;

/** Milliseconds that opening waits, since another process may be closing or recovering the same file. */
const OPEN_TIMEOUT_MS = 5_000;
/** Milliseconds that a reader waits for a lock, which blocks the process. Writers do not wait inside SQLite. */
const READER_TIMEOUT_MS = 20;
/** Bytes to which a WAL is truncated that grew larger during a long read. */
export const MAX_WAL_BYTES = 16 * 1024 * 1024;

/** Cache of the writing connection in KiB: the default of 2 MiB holds few of the index pages that it changes. */
const WRITER_CACHE_KIB = 32 * 1024;

const MAX_IDENTITY = 2 ** 31;

/** Settings for durable changes and enforced keys, without `mmap_size`: a disk error would end the process. */
const REQUIRED_PRAGMAS = {
  journal_mode: 'wal',
  /** FULL: each commit is written to the disk. */
  synchronous: 2,
  foreign_keys: 1,
  /** Delete triggers fire for rows that another row replaces, too. */
  recursive_triggers: 1,
  trusted_schema: 0,
} as const;

/** Calls `use` with an open connection, and closes it in any case. */
export function closing<T>(database: Sqlite.Database, use: (database: Sqlite.Database) => T): T {
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Calls `use` with a connection that only reads, in whatever journal mode the file is. */
export function reading<T>(file: string, use: (database: Sqlite.Database) => T): T {
  return closing(new Sqlite(file, { readonly: true, fileMustExist: true }), use);
}

/** Opens a connection whose commits are durable. Errors: an `Error` if SQLite refuses a required setting. */
export function openFile(file: string, { readonly }: { readonly readonly: boolean }): Sqlite.Database {
  const database = new Sqlite(file, { readonly, timeout: OPEN_TIMEOUT_MS });
  try {
    for (const [pragma, value] of Object.entries(REQUIRED_PRAGMAS)) {
      const isFixed = readonly && pragma === 'journal_mode';
      if (!isFixed) database.pragma(`${pragma} = ${value}`);
      const actual = database.pragma(pragma, { simple: true });
      if (actual !== value) throw new Error(`SQLite runs with ${pragma}=${String(actual)}, not ${value}`);
    }
    // SQLite's automatic checkpoints do not report their errors; SqliteConnection runs them itself.
    database.pragma('wal_autocheckpoint = 0');
    database.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
    if (!readonly) {
      database.pragma(`cache_size = ${-WRITER_CACHE_KIB}`);
      database.function('folded', { deterministic: true }, folded);
    }
    database.pragma(`busy_timeout = ${readonly ? READER_TIMEOUT_MS : 0}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Closes a connection that can write. The last one makes the file complete without a log, and turns WAL mode off. */
export function closeWhole(database: Sqlite.Database): void {
  try {
    database.pragma('journal_mode = delete');
  } catch {
    // Others have the database open, and the last of them does it.
  }
  database.close();
}

/** Gives a database a new random number, and returns it. */
export function giveIdentity(database: Sqlite.Database): number {
  const identity = randomInt(1, MAX_IDENTITY);
  database.pragma(`user_version = ${identity}`);
  return identity;
}
