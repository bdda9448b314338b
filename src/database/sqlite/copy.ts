/** Copies of databases from and into SQLite files. */
import Sqlite from 'better-sqlite3';

import { folded } from '../../platform/card-data/text-search.js';
import { TABLE_NAMES } from '../../schema/schema.js';
import { SQLITE_SEARCH_AGAIN, tableOfSearch } from '../../schema/search.js';
import type { Table } from '../../schema/table.js';
import {
  bytesOf,
  type CopyRow,
  type CopySource,
  type CopyTarget,
  type CopyValue,
  requireCurrent,
  requireEmpty,
  requireCompleteCopy,
  knownTables,
  UNFINISHED_TABLE,
} from '../copy.js';
import { unusable } from '../database.js';
import { translate } from './faults.js';
import { inspectFile, noDatabaseAt } from './file/inspect.js';
import { lockFile } from './file/lock.js';
import { headOf, keepLog, refuseLoss } from './file/loss.js';
import { replaceMarker } from './file/marker.js';
import { reading } from './file/open-file.js';

const BATCH_BYTES = 1024 * 1024;
const BATCH_ROWS = 2_000;

/** Reads the tables of a SQLite file through a connection with an open transaction. */
class FileSource implements CopySource {
  constructor(
    readonly name: string,
    protected readonly database: Sqlite.Database,
    protected readonly onClosed: () => void,
  ) {}

  count({ name }: Table): Promise<number> {
    return Promise.resolve(rowsIn(this.database, [name]));
  }

  bytes({ name }: Table): Promise<number> {
    const query = 'select sum(pgsize) from dbstat where name = ? and aggregate = true';
    return Promise.resolve(Number(this.database.prepare(query).pluck().get(name)));
  }

  async *rows({ name, columns, key }: Table): AsyncIterable<readonly CopyRow[]> {
    const names = Object.keys(columns);
    const quoted = names.map((column) => `"${column}"`).join();
    const statement = this.database.prepare(`select ${quoted} from ${name} order by ${key.join()}`);
    let batch: CopyRow[] = [];
    let bytes = 0;
    for (const values of statement.raw().iterate() as IterableIterator<(CopyValue | number)[]>) {
      const row = values.map((value, index) => {
        if (typeof value !== 'number') return value;
        if (!Number.isSafeInteger(value)) throw notWhole(`${name}.${names[index] ?? ''}`, value);
        return String(value);
      });
      batch.push(row);
      bytes += bytesOf(row);
      if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue;
      yield batch;
      // Lets the target continue between two batches.
      await Promise.resolve();
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async close(): Promise<void> {
    await Promise.resolve(this.database.close());
    this.onClosed();
  }
}

/** SQLite itself stores any number in any column. */
const notWhole = (column: string, value: number) =>
  unusable(`${column} has the number ${value}, which is not whole: correct it, then copy again.`);

/** Opens a snapshot of a file, which servers may be using. Errors: `DatabaseRefused`. */
export function openFileSource(file: string): CopySource {
  const { state, pending } = inspectFile(file);
  refuseLoss(file);
  if (state === 'new') throw noDatabaseAt(file);
  requireCurrent(file, pending);
  requireCompleteCopy(file, unfinishedCopyIn(file));
  reading(file, (database) => knownTables(file, namesIn(database, 'table')));
  const endLog = keepLog(file);
  const database = new Sqlite(file, { readonly: true, fileMustExist: true });
  // The first statement determines the state of the snapshot.
  database.exec('begin; select count(*) from sqlite_schema');
  return new FileSource(file, database, endLog);
}

/** Source of the unfinished copy in a file of this program; null if the file is none. */
export const unfinishedCopyIn = (file: string): string | null => reading(file, sourceIn);

/** Errors: `DatabaseRefused` if the file has unknown tables, or rows and is not an unfinished copy. */
export function requireEmptyFile(file: string): void {
  if (inspectFile(file).state !== 'new') reading(file, (database) => requireEmptyIn(file, database));
}

function requireEmptyIn(file: string, database: Sqlite.Database): void {
  // An older database has fewer tables.
  const tables = knownTables(file, namesIn(database, 'table'));
  if (sourceIn(database) === null) requireEmpty(file, rowsIn(database, tables));
}

/** Names of all triggers, or of all tables but those of the search, in the order in which they were created. */
function namesIn(database: Sqlite.Database, type: 'table' | 'trigger'): readonly string[] {
  const query = `select name from sqlite_schema where type = ? and name not like 'sqlite_%' order by rowid`;
  const names = database.prepare(query).pluck().all(type) as string[];
  return type === 'table' ? names.filter((name) => tableOfSearch(name) === undefined) : names;
}

function sourceIn(database: Sqlite.Database): string | null {
  if (!namesIn(database, 'table').includes(UNFINISHED_TABLE)) return null;
  return String(database.prepare(`select source from ${UNFINISHED_TABLE}`).pluck().get());
}

/** Number of rows in tables, by default in all. */
export function rowsIn(database: Sqlite.Database, tables = namesIn(database, 'table')): number {
  const counts = tables.map((table) => database.prepare(`select count(*) from "${table}"`).pluck().get());
  return counts.reduce((sum: number, count) => sum + Number(count), 0);
}

/** Memory for the changed pages of a transaction, in KiB. */
const CACHE_KIB = 64 * 1024;
const NUMBERS = new Set(['integer', 'instant', 'flag']);

/** Stores everything in one transaction with a rollback journal: if the process dies, the file is empty and marked. */
class FileTarget extends FileSource implements CopyTarget {
  readonly #triggers: readonly string[];
  #prepared: { readonly table: Table; readonly insert: Sqlite.Statement } | null = null;

  constructor(file: string, database: Sqlite.Database, onClosed: () => void) {
    super(file, database, onClosed);
    database.function('folded', { deterministic: true }, folded);
    database.exec('begin exclusive');
    const query = "select sql from sqlite_schema where type = 'trigger' order by rowid";
    this.#triggers = database.prepare(query).pluck().all() as string[];
    for (const trigger of namesIn(database, 'trigger')) database.exec(`drop trigger "${trigger}"`);
    for (const table of TABLE_NAMES.toReversed()) database.exec(`delete from ${table}`);
    database.exec('delete from sqlite_sequence');
  }

  insert(table: Table, rows: readonly CopyRow[]): Promise<void> {
    return explained(() => {
      const isNumber = Object.values(table.columns).map(({ kind }) => NUMBERS.has(kind));
      const bound = (value: CopyValue, index: number): unknown =>
        value !== null && isNumber[index] === true ? Number(value) : value;
      if (this.#prepared?.table !== table) this.#prepared = { table, insert: this.#inserter(table) };
      for (const row of rows) this.#prepared.insert.run(...row.map(bound));
    });
  }

  finish(): Promise<void> {
    return explained(() => this.database.exec([...SQLITE_SEARCH_AGAIN, ...this.#triggers].join('; ')));
  }

  commit(): Promise<void> {
    return explained(() => this.database.exec(`drop table ${UNFINISHED_TABLE}; commit`));
  }

  override async close(): Promise<void> {
    const isStored = !this.database.inTransaction;
    await Promise.resolve(this.database.close());
    if (isStored) replaceMarker(this.name, headOf(this.name));
    this.onClosed();
  }

  #inserter({ name, columns }: Table): Sqlite.Statement {
    const names = Object.keys(columns);
    return this.database.prepare(
      `insert into ${name} (${names.map((column) => `"${column}"`).join()}) values (${names.map(() => '?').join()})`,
    );
  }
}

/** Marks a file as an unfinished copy. Errors: `DatabaseRefused` if it is used, or has records of its own. */
export function openFileTarget(file: string, source: string): CopyTarget {
  const lock = lockFile(file);
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(file, { fileMustExist: true, timeout: 1_000 });
    // Fails while another process has the file open.
    for (const setting of ['journal_mode = delete', 'synchronous = full', 'foreign_keys = on'])
      database.pragma(setting);
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    requireEmptyIn(file, database);
    database.exec(
      `begin; drop table if exists ${UNFINISHED_TABLE}; create table ${UNFINISHED_TABLE} (source text)`,
    );
    database.prepare(`insert into ${UNFINISHED_TABLE} values (?)`).run(source);
    database.exec('commit');
    return new FileTarget(file, database, () => lock.release());
  } catch (error) {
    database?.close();
    lock.release();
    throw translate(error);
  }
}

const explained = (use: () => void): Promise<void> =>
  Promise.resolve()
    .then(use)
    .catch((error: unknown) => Promise.reject(translate(error)));
