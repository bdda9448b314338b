import Sqlite from 'better-sqlite3';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

import { codeOf, faultOfSystem } from '../../../platform/errors.js';
import { fileCause, fileProblem } from '../../../platform/files.js';
import { DatabaseRefused, unusable } from '../../database.js';
import { type AppliedMigration, MIGRATION_NAMES, requireSameSchema, tooNew } from '../../migrations.js';
import { isOpenInProcess, rollbackJournalPath, walPath, fileBytes } from './open-file.js';
import { FINGERPRINT } from './schema.js';

/** "TGW1" in ASCII: the application id in the header of a SQLite file of this program. */
export const APPLICATION_ID = 0x54475731;

/** Error of a file that cannot be used; `problem` is for example `gateway.db cannot be opened`. */
export function unusableFile(problem: string, error: unknown, advice: string): DatabaseRefused {
  const cause = fileCause(error) ?? (error as Error).message;
  return unusable(`${problem} (${cause}). ${advice}`, error);
}

/** Makes a `DatabaseRefused` of an error about a file; returns other errors and faults of the storage unchanged. */
export function refusalOf(error: unknown): unknown {
  const problem = fileProblem(error);
  const isFault = faultOfSystem(codeOf(error), error as Error) !== null;
  return problem === null || isFault ? error : unusable(`${problem}. Nothing was changed.`, error);
}

export const noDatabaseAt = (file: string) => unusable(`There is no database at ${file}.`);

/** Names of migrations in order. `new`: there is no file yet, or it is empty. */
export interface Inspection {
  readonly state: 'new' | 'current' | 'older';
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

const ADVICE =
  'Nothing was changed. Move it away and restore a backup with terminal-gateway db restore FILE, or set DATABASE_URL to another file.';

const PUT_BACK =
  'Nothing was changed. Put the database file back; or move the log away and restore a backup with terminal-gateway db restore FILE.';

const HEADER_BYTES = 108;
const APPLICATION_ID_OFFSET = 68;
/** Offset of a byte that is 2 if the database has a log. */
const WRITE_VERSION_OFFSET = 18;
/** Header of the schema's root page: its type in 1 byte and, 3 bytes on, its number of entries in 2 bytes. */
const SCHEMA_OFFSET = 100;
const LEAF_PAGE = 13;

/**
 * Reads the state of a file without changing it. With `checksLater`, the whole file is read only if there is a migration
 * to apply. Errors: `DatabaseRefused` if it is damaged, of another program, or has unknown migrations.
 */
export function inspectFile(
  file: string,
  known: readonly string[] = MIGRATION_NAMES,
  { checksLater = false } = {},
): Inspection {
  if (recognizeFile(file) === 'new') return { state: 'new', applied: [], pending: known };
  const database = openToInspect(file);
  try {
    if (!checksLater) refuseDamaged(database, file);
    const rows = appliedMigrations(database);
    const applied = rows.map(({ name }) => name);
    refuseNewer(rows, known, file);
    requireSameSchema(file, rows, FINGERPRINT);
    const pending = known.filter((name) => !applied.includes(name));
    if (checksLater && pending.length > 0) refuseDamaged(database, file);
    return { state: pending.length === 0 ? 'current' : 'older', applied, pending };
  } catch (error) {
    // Another process may have held a lock of SQLite for longer than the time limit.
    const isLocked = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code);
    if (!(error instanceof Sqlite.SqliteError) || isLocked) throw error;
    throw damaged(file, error.message, error);
  } finally {
    database.close();
  }
}

/** Reads the header only: SQLite would create files beside that of another program. Errors: `DatabaseRefused`. */
export function recognizeFile(file: string): 'new' | 'ours' {
  if (isOpenInProcess(file)) return 'ours';
  const header = headerOf(file);
  if (header.length > 0) {
    if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
      throw new DatabaseRefused('foreign', `${file} is not a SQLite database. ${ADVICE}`);
    if (header.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return 'ours';
    const isEmpty = header[SCHEMA_OFFSET] === LEAF_PAGE && header.readUInt16BE(SCHEMA_OFFSET + 3) === 0;
    if (!isEmpty) throw new DatabaseRefused('foreign', `${file} is a database of another program. ${ADVICE}`);
  }
  if (fileBytes(walPath(file)) > 0) {
    throw new DatabaseRefused(
      'damaged',
      `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but there is the log of a database beside it: ${walPath(file)}. ${PUT_BACK}`,
    );
  }
  return 'new';
}

/** True if a database that this process does not have open is open elsewhere, or was not closed (WAL mode). */
export const hasLog = (file: string): boolean => headerOf(file)[WRITE_VERSION_OFFSET] === 2;

/** The first bytes of a file; an empty buffer if there is no file, or if it is empty. */
function headerOf(file: string): Buffer {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) return Buffer.alloc(0);
  if (!status.isFile()) throw unusable(`${file} is not a file. ${ADVICE}`);
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function openToInspect(file: string): Sqlite.Database {
  try {
    // If a process died while it created the file, SQLite must first roll back with the journal.
    const readonly = fileBytes(rollbackJournalPath(file)) === 0;
    return new Sqlite(file, { readonly, fileMustExist: true });
  } catch (error) {
    throw unusableFile(`${file} cannot be opened`, error, ADVICE);
  }
}

function refuseDamaged(database: Sqlite.Database, file: string): void {
  const result = database.pragma('quick_check(1)', { simple: true });
  if (result !== 'ok') throw damaged(file, String(result));
}

function damaged(file: string, detail: string, cause?: unknown): DatabaseRefused {
  const line = detail.split('\n').at(-1) ?? '';
  return new DatabaseRefused('damaged', `${file} is damaged (${line}). ${ADVICE}`, cause);
}

function appliedMigrations(database: Sqlite.Database): readonly AppliedMigration[] {
  const table = database.prepare("select 1 from sqlite_schema where name = 'applied_migrations'").get();
  if (table === undefined) return [];
  // All columns, since earlier states lack some.
  return database.prepare('select * from applied_migrations order by name').all() as AppliedMigration[];
}

function refuseNewer(applied: readonly AppliedMigration[], known: readonly string[], file: string): void {
  const unknown = tooNew(applied, known);
  if (unknown.length === 0) return;
  throw new DatabaseRefused(
    'newer',
    `The database is newer than this program: ${file} has ${unknown.join(', ')}. Nothing was changed. Start the newer version, or restore the backup that it made before its migration.`,
  );
}
