import Sqlite from 'better-sqlite3';

import type { CopyTarget } from '../../copy/place.js';
import { COPIED_TABLES, type TableShape } from '../../copy/tables.js';
import { refuseRecords, UNFINISHED_TABLE } from '../../copy/unfinished.js';
import type { CopyRow, CopyValue } from '../../copy/values.js';
import { translate } from '../faults.js';
import { lockFile, type FileLock } from '../file/lock.js';
import { headOf } from '../file/marker/loss.js';
import { replaceMarker } from '../file/marker/marker.js';
import { FileReader } from './reader.js';
import { markIn, recordsIn } from './source.js';

/** Memory for the changed pages of a transaction, in KiB. */
const CACHE_KIB = 64 * 1024;
const NUMBERS = new Set(['integer', 'instant', 'flag']);

/**
 * Stores everything in one transaction with a rollback journal, which takes no room for new pages of the
 * file. If the process dies, SQLite rolls back when the file is opened again: it is then empty, and has the
 * mark.
 */
class FileTarget extends FileReader implements CopyTarget {
  readonly #triggers: readonly string[];
  #prepared: { readonly table: string; readonly insert: (row: readonly unknown[]) => void } | null = null;

  constructor(
    private readonly file: string,
    database: Sqlite.Database,
    private readonly lock: FileLock,
  ) {
    super(file, database);
    database.exec('begin exclusive');
    this.#triggers = this.texts("select sql from sqlite_schema where type = 'trigger' order by rowid");
    for (const trigger of this.texts("select name from sqlite_schema where type = 'trigger'"))
      database.exec(`drop trigger "${trigger}"`);
    for (const table of [...COPIED_TABLES].reverse()) database.exec(`delete from ${table}`);
    database.exec('delete from sqlite_sequence');
  }

  async insert(shape: TableShape, rows: readonly CopyRow[]): Promise<void> {
    await explained(() => {
      const insert = this.#inserter(shape);
      const isNumber = shape.columns.map(({ kind }) => NUMBERS.has(kind));
      const bound = (value: CopyValue, index: number): unknown =>
        value !== null && isNumber[index] === true ? Number(value) : value;
      for (const row of rows) insert(row.map(bound));
    });
  }

  async finish(numbers: ReadonlyMap<string, number>): Promise<void> {
    await explained(() => {
      for (const trigger of this.#triggers) this.database.exec(trigger);
      const last = this.database.prepare('select seq from sqlite_sequence where name = ?').pluck();
      const set = this.database.prepare('update sqlite_sequence set seq = ? where name = ?');
      const add = this.database.prepare('insert into sqlite_sequence (seq, name) values (?, ?)');
      for (const [table, number] of numbers) {
        const present = last.get(table) as number | undefined;
        if (present === undefined || present < number) (present === undefined ? add : set).run(number, table);
      }
    });
  }

  async commit(): Promise<void> {
    await explained(() => {
      this.database.exec(`drop table ${UNFINISHED_TABLE}`);
      this.database.exec('commit');
    });
  }

  close(): Promise<void> {
    const isStored = !this.database.inTransaction;
    this.database.close();
    if (isStored) replaceMarker(this.file, headOf(this.file));
    this.lock.release();
    return Promise.resolve();
  }

  #inserter({ name, columns }: TableShape): (row: readonly unknown[]) => void {
    if (this.#prepared?.table !== name) {
      const names = columns.map((column) => `"${column.name}"`).join(', ');
      const statement = this.database.prepare(
        `insert into ${name} (${names}) values (${columns.map(() => '?').join(', ')})`,
      );
      this.#prepared = { table: name, insert: (row) => void statement.run(...row) };
    }
    return this.#prepared.insert;
  }
}

/**
 * Marks a file with the current schema as an unfinished copy of `source`. Errors: `DatabaseRefused` if it has
 * records and is not an unfinished copy, or if others use it.
 */
export function openFileTarget(file: string, source: string): CopyTarget {
  const lock = lockFile(file);
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(file, { fileMustExist: true, timeout: 1_000 });
    // Fails while another process has the file open.
    for (const setting of ['journal_mode = delete', 'synchronous = full', 'foreign_keys = on'])
      database.pragma(setting);
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    mark(file, database, source);
    return new FileTarget(file, database, lock);
  } catch (error) {
    database?.close();
    lock.release();
    throw translate(error);
  }
}

function mark(file: string, database: Sqlite.Database, source: string): void {
  if (markIn(database) === null) {
    const records = recordsIn(database);
    if (records > 0) throw refuseRecords(file, records);
  }
  database.transaction(() => {
    database.exec(`drop table if exists ${UNFINISHED_TABLE}; create table ${UNFINISHED_TABLE} (source text)`);
    database.prepare(`insert into ${UNFINISHED_TABLE} values (?)`).run(source);
  })();
}

async function explained(use: () => void): Promise<void> {
  await Promise.resolve()
    .then(use)
    .catch((error: unknown) => {
      throw translate(error);
    });
}
