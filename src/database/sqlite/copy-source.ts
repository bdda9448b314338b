import Sqlite from 'better-sqlite3';

import type { Column } from '../../schema/columns.js';
import type { Table } from '../../schema/table.js';
import type { CopySource } from '../copy/copy.js';
import {
  bytesOf,
  demandCurrent,
  demandFinished,
  knownTables,
  UNFINISHED_TABLE,
  type CopyRow,
  type CopyValue,
  type TargetState,
} from '../copy/rows.js';
import { DatabaseRefused } from '../database.js';
import { inspectFile, noDatabaseAt } from './file/inspect.js';
import { keepLog, refuseLoss } from './file/loss.js';
import { closing } from './file/open-file.js';

const BATCH_BYTES = 1024 * 1024;
const BATCH_ROWS = 2_000;

/** Reads the tables of a SQLite file through a connection with an open transaction. */
export class FileSource implements CopySource {
  constructor(
    readonly name: string,
    protected readonly database: Sqlite.Database,
    protected readonly onClosed: () => void,
  ) {}

  count({ name }: Table): Promise<number> {
    return Promise.resolve(countIn(this.database, name));
  }

  bytes({ name }: Table): Promise<number> {
    const query = 'select sum(pgsize) from dbstat where name = ? and aggregate = true';
    return Promise.resolve(Number(this.database.prepare(query).pluck().get(name)));
  }

  async *rows(table: Table): AsyncIterable<readonly CopyRow[]> {
    for (const batch of this.#batches(table)) {
      yield batch;
      // Lets the target continue between two batches.
      await Promise.resolve();
    }
  }

  *#batches({ name, columns, key }: Table): Iterable<readonly CopyRow[]> {
    const names = Object.keys(columns).map((column) => `"${column}"`);
    const statement = this.database.prepare(`select ${names.join()} from ${name} order by ${key.join()}`);
    const readers = Object.entries(columns).map(([column, { kind }]) => readerOf(`${name}.${column}`, kind));
    let batch: CopyRow[] = [];
    let bytes = 0;
    for (const values of statement.raw().iterate() as IterableIterator<unknown[]>) {
      const row = values.map((value, index) => (value === null ? null : (readers[index]?.(value) ?? null)));
      batch.push(row);
      bytes += bytesOf(row);
      if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  close(): Promise<void> {
    this.database.close();
    this.onClosed();
    return Promise.resolve();
  }
}

/** Checks that a value is of its kind, since SQLite itself stores any value in any column. */
function readerOf(column: string, kind: Column['kind']): (value: unknown) => CopyValue {
  const refuse = (value: unknown): never => {
    const what = typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
    throw new DatabaseRefused(
      'unusable',
      `${column} has ${what}, which no column of kind ${kind} can hold: correct it, then copy again.`,
    );
  };
  if (kind === 'bytes') return (value) => (value instanceof Uint8Array ? value : refuse(value));
  if (kind === 'integer' || kind === 'instant') {
    return (value) => (Number.isSafeInteger(value) ? String(value) : refuse(value));
  }
  if (kind === 'flag') return (value) => (value === 0 || value === 1 ? String(value) : refuse(value));
  return (value) => (typeof value === 'string' ? value : refuse(value));
}

/** Opens the file in whatever journal mode it has. */
const openReader = (file: string): Sqlite.Database =>
  new Sqlite(file, { readonly: true, fileMustExist: true });

/** Opens a snapshot of a file, which servers may be using. Errors: `DatabaseRefused`. */
export function openFileSource(file: string): CopySource {
  const { state, pending } = inspectFile(file);
  refuseLoss(file);
  if (state === 'new') throw noDatabaseAt(file);
  demandCurrent(file, pending);
  demandFinished(file, unfinishedCopyIn(file));
  closing(openReader(file), (database) => knownTables(file, namesIn(database, 'table')));
  const endLog = keepLog(file);
  const database = openReader(file);
  // The first statement determines the state of the snapshot.
  database.exec('begin; select count(*) from sqlite_schema');
  return new FileSource(file, database, endLog);
}

/**
 * Source of the unfinished copy in the file; null if the file is none. The file must be a database of this
 * program.
 */
export function unfinishedCopyIn(file: string): string | null {
  return closing(openReader(file), sourceIn);
}

/** State of a file; null if there is no database yet. Errors: `DatabaseRefused`. */
export function fileState(file: string): TargetState | null {
  if (inspectFile(file).state === 'new') return null;
  return closing(openReader(file), (database) => stateOfCopy(file, database));
}

/** State of a database; an older one has fewer tables. Errors: `DatabaseRefused` if it has unknown tables. */
export function stateOfCopy(file: string, database: Sqlite.Database): TargetState {
  const tables = knownTables(file, namesIn(database, 'table'));
  return {
    records: tables.reduce((sum, name) => sum + countIn(database, name), 0),
    unfinished: sourceIn(database),
  };
}

/** Names of all tables or triggers, in the order in which they were created. */
export function namesIn(database: Sqlite.Database, type: 'table' | 'trigger'): readonly string[] {
  const query = `select name from sqlite_schema where type = ? and name not like 'sqlite_%' order by rowid`;
  return database.prepare(query).pluck().all(type) as string[];
}

function sourceIn(database: Sqlite.Database): string | null {
  if (!namesIn(database, 'table').includes(UNFINISHED_TABLE)) return null;
  return String(database.prepare(`select source from ${UNFINISHED_TABLE}`).pluck().get());
}

function countIn(database: Sqlite.Database, table: string): number {
  return Number(database.prepare(`select count(*) from ${table}`).pluck().get());
}
