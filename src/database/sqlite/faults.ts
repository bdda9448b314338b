import Sqlite from 'better-sqlite3';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';

import { systemClock } from '../../platform/clock.js';
import {
  type DomainCode,
  DomainError,
  fault,
  type Fault,
  codeOf,
  faultOfSystem,
  STORAGE_FULL,
  STORAGE_READ_ONLY,
  STORAGE_UNAVAILABLE,
} from '../../platform/errors.js';
import type { StatementEnd, StatementListeners } from '../statements.js';
import { fileBytes, walPath } from './file/open-file.js';

/** Callbacks for the events of a connection. */
export interface Watcher {
  /** Called with each statement but those of transactions. Its result is called when the statement has ended. */
  onStatement(sql: string): StatementEnd | undefined;
  readonly waits?: StatementListeners;
  /** Called after a failed fsync: acknowledged changes may be lost, so nothing more must be written. */
  onFatal(error: unknown): void;
  /** Called when the storage failed or refused a statement. */
  onFault(code: DomainCode, error: unknown): void;
  /** Called when the log is long, because read transactions keep SQLite from restarting it. */
  onLongLog?(): void;
  /** True if the disk has so little room that the log, whose pages need room in the file too, must stay short. */
  isDiskLow?(): boolean;
}

const BUSY = fault('busy', 'The database is busy; try again.', { retryAfter: 1 });
const CORRUPT = fault('db_corrupt', 'The database file is damaged.', { retryAfter: 300 });
const TAKEN = fault('taken', 'A record with this value exists already.');

/** Faults by the beginning of SQLite's result code. */
const FAULTS: Readonly<Record<string, Fault>> = {
  SQLITE_FULL: STORAGE_FULL,
  SQLITE_BUSY: BUSY,
  SQLITE_LOCKED: BUSY,
  SQLITE_PROTOCOL: BUSY,
  SQLITE_READONLY: STORAGE_READ_ONLY,
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_NOTADB: CORRUPT,
  SQLITE_IOERR: STORAGE_UNAVAILABLE,
  SQLITE_CANTOPEN: STORAGE_UNAVAILABLE,
  SQLITE_CONSTRAINT_UNIQUE: TAKEN,
  SQLITE_CONSTRAINT_PRIMARYKEY: TAKEN,
};

/** Codes of a failed fsync: the state of the disk is unknown, so the process must end and start again. */
const FATAL = ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC'];

/** Error of a unit that is not stored though it has not failed: `reason` if that is a fault of the storage. */
export function storageFailed(reason: unknown): Error {
  if (reason instanceof DomainError && reason.code !== 'taken') return reason;
  const message = 'The storage failed during this change; nothing of it was stored.';
  return new DomainError('storage_unavailable', message, { retryAfter: 1 });
}

/** Error of reads and changes after the database was closed. */
export function stopping(): DomainError {
  return new DomainError('storage_unavailable', 'The server is stopping.', { retryAfter: 10 });
}

/** SQLite's result code of an error, or of what caused it. */
function engineCode(error: unknown): string | undefined {
  if (error instanceof DomainError) return engineCode(error.details.cause);
  return error instanceof Sqlite.SqliteError ? error.code : undefined;
}

export const isBusy = (error: unknown): boolean => engineCode(error)?.startsWith('SQLITE_BUSY') ?? false;

export const isFatal = (error: unknown): boolean => FATAL.includes(engineCode(error) ?? '');

/** True if the storage is full or has failed, as opposed to missing permissions. */
export function isStorageFault(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test(engineCode(error) ?? '');
}

/** Makes a `DomainError` of an error of SQLite. `probe` finds the code of the system, which SQLite leaves out. */
export function translate(error: unknown, probe: () => string | null = () => null): Error {
  if (!(error instanceof Error)) return new Error('The database failed.', { cause: error });
  const code = engineCode(error);
  if (code === undefined || error instanceof DomainError) return error;
  const reason = code.startsWith('SQLITE_IOERR') && !isFatal(error) ? faultOfSystem(probe(), error) : null;
  if (reason !== null) return reason;
  const known = Object.keys(FAULTS).find((prefix) => code.startsWith(prefix));
  return FAULTS[known ?? '']?.(error) ?? error;
}

const PROBE_BYTES = 4_096;

/** Milliseconds for which a result is cached, since many requests may fail at once. */
const KEEP_MS = 1_000;
let latest: { file: string; at: number; code: string | null } = { file: '', at: -Infinity, code: null };

/** System code of a failing write beside a database, such as ENOSPC or EROFS, which are one code in SQLite; or null. */
export function probeStorage(file: string): string | null {
  const now = systemClock.elapsed();
  if (latest.file !== file || now - latest.at > KEEP_MS) latest = { file, at: now, code: probe(file) };
  return latest.code;
}

function probe(file: string): string | null {
  const path = `${file}.probe`;
  try {
    const descriptor = openSync(path, 'w', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES, 1), 0, PROBE_BYTES, 0);
      // At the offset of SQLite's next write at the end of a file, since the size of files may be limited.
      const end = Math.max(fileBytes(file), fileBytes(walPath(file))) + PROBE_BYTES;
      writeSync(descriptor, Buffer.alloc(1), 0, 1, end);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
    return null;
  } catch (error) {
    return codeOf(error);
  }
}
