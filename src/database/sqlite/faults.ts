import Sqlite from 'better-sqlite3';

import { DomainError } from '../../platform/errors.js';
import {
  fault,
  faultOfSystem,
  STORAGE_FULL,
  STORAGE_READ_ONLY,
  STORAGE_UNAVAILABLE,
  type Fault,
} from '../../platform/storage/faults.js';

const BUSY = fault('busy', 'The database is busy; try again.', { retryAfter: 1 });
const CORRUPT = fault('db_corrupt', 'The database file is damaged.', { retryAfter: 300 });
const TAKEN = fault('taken', 'A record with this value exists already.');

/** Faults by SQLite's result code, or by its longest listed prefix. */
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

/**
 * Error of a unit that is not stored though it has not failed itself: `reason` if that is a fault of the
 * storage.
 */
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

export function isBusy(error: unknown): boolean {
  return engineCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

export function isFatal(error: unknown): boolean {
  return FATAL.includes(engineCode(error) ?? '');
}

/** Whether the storage is full or has failed, as opposed to missing permissions. */
export function isStorageFault(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test(engineCode(error) ?? '');
}

/**
 * Turns an error of SQLite into a `DomainError`; returns other errors unchanged. `probe` finds the code of
 * the operating system for errors that SQLite reports without it.
 */
export function translate(error: unknown, probe: () => string | null = () => null): Error {
  if (!(error instanceof Error)) return new Error('The database failed.', { cause: error });
  const code = engineCode(error);
  if (code === undefined) return error;
  if (error instanceof DomainError) return error;
  const reason = code.startsWith('SQLITE_IOERR') && !isFatal(error) ? faultOfSystem(probe(), error) : null;
  if (reason !== null) return reason;
  const known = Object.keys(FAULTS)
    .filter((prefix) => code.startsWith(prefix))
    .sort((a, b) => b.length - a.length)[0];
  return FAULTS[known ?? '']?.(error) ?? error;
}
