import Sqlite from 'better-sqlite3';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

import { MIGRATION_NAMES } from '../migrations/index.js';
import { isOpenHere, journalOf, logOf, fileBytes } from './place.js';

/** "TGW1": what marks a SQLite file as this server's. */
export const APPLICATION_ID = 0x54475731;

type Reason = 'damaged' | 'foreign' | 'newer' | 'in_use' | 'unusable';

/** Why a database cannot be used as it is; the file was not touched. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';

  constructor(
    readonly reason: Reason,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export interface Inspection {
  readonly state: 'new' | 'current' | 'older';
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

const ADVICE =
  'Nothing was changed. Put a good copy in its place: terminal-gateway db restore FILE, or name another file in DATABASE_URL.';

const HEADER_BYTES = 108;
const APPLICATION_ID_OFFSET = 68;
/** The root of the schema: its kind of page, and how many entries it has. */
const SCHEMA_OFFSET = 100;
const EMPTY_LEAF = 13;

/** Looks at a database file without changing it, and refuses what is damaged, foreign or newer. */
export function inspectFile(file: string, known: readonly string[] = MIGRATION_NAMES): Inspection {
  if (recognizeFile(file) === 'new') return { state: 'new', applied: [], pending: known };
  const database = openForLooking(file);
  try {
    refuseDamaged(database, file);
    const applied = appliedMigrations(database);
    refuseNewer(applied, known, file);
    const pending = known.filter((name) => !applied.includes(name));
    return { state: pending.length === 0 ? 'current' : 'older', applied, pending };
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) throw damaged(file, error.message, error);
    throw error;
  } finally {
    database.close();
  }
}

/** Tells by the first bytes whose file it is: the engine would already leave traces beside a foreign one. */
export function recognizeFile(file: string): 'new' | 'ours' {
  if (isOpenHere(file)) return 'ours';
  const header = headerOf(file);
  if (header.length > 0 && !isSqlite(header)) {
    throw new DatabaseRefused('foreign', `${file} is not a SQLite database. ${ADVICE}`);
  }
  if (header.length > 0 && header.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return 'ours';
  if (header.length > 0 && !isEmpty(header)) {
    throw new DatabaseRefused('foreign', `${file} is a database of another program. ${ADVICE}`);
  }
  if (fileBytes(logOf(file)) > 0) {
    throw new DatabaseRefused(
      'damaged',
      `${file} is empty, but the log of a database stands beside it: ${logOf(file)}. ${ADVICE}`,
    );
  }
  return 'new';
}

/** Empty where there is no file or nothing in it. */
function headerOf(file: string): Buffer {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) return Buffer.alloc(0);
  if (!status.isFile()) throw new DatabaseRefused('unusable', `${file} is not a file. ${ADVICE}`);
  try {
    const descriptor = openSync(file, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

function isSqlite(header: Buffer): boolean {
  return header.length === HEADER_BYTES && header.toString('latin1', 0, 16) === 'SQLite format 3\0';
}

function isEmpty(header: Buffer): boolean {
  return header[SCHEMA_OFFSET] === EMPTY_LEAF && header.readUInt16BE(SCHEMA_OFFSET + 3) === 0;
}

function openForLooking(file: string): Sqlite.Database {
  try {
    // After a crash while it was being made, the engine must first put the file in order.
    const readonly = fileBytes(journalOf(file)) === 0;
    return new Sqlite(file, { readonly, fileMustExist: true });
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): DatabaseRefused {
  return new DatabaseRefused(
    'unusable',
    `${file} cannot be opened (${(error as Error).message}). ${ADVICE}`,
    error,
  );
}

function refuseDamaged(database: Sqlite.Database, file: string): void {
  const answer = database.pragma('quick_check(1)', { simple: true });
  if (answer !== 'ok') throw damaged(file, String(answer));
}

function damaged(file: string, detail: string, cause?: unknown): DatabaseRefused {
  const line = detail.split('\n').at(-1) ?? '';
  return new DatabaseRefused('damaged', `${file} is damaged (${line}). ${ADVICE}`, cause);
}

function appliedMigrations(database: Sqlite.Database): readonly string[] {
  const known = database.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (known === undefined) return [];
  const rows = database.prepare('select name from kysely_migration order by name').all() as {
    name: string;
  }[];
  return rows.map((row) => row.name);
}

function refuseNewer(applied: readonly string[], known: readonly string[], file: string): void {
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new DatabaseRefused(
    'newer',
    `The database is newer than this program: ${file} has ${unknown.join(', ')}. Nothing was changed. Start the newer version, or restore the backup made before it.`,
  );
}
