import Sqlite from 'better-sqlite3';

import { TABLE_NAMES } from '../../schema/schema.js';
import type { Table } from '../../schema/table.js';
import type { CopyTarget } from '../copy/copy.js';
import { demandEmpty, UNFINISHED_TABLE, type CopyRow, type CopyValue } from '../copy/rows.js';
import { FileSource, namesIn, stateOfCopy } from './copy-source.js';
import { translate } from './faults.js';
import { lockFile } from './file/lock.js';
import { headOf } from './file/loss.js';
import { replaceMarker } from './file/marker.js';

/** Memory for the changed pages of a transaction, in KiB. */
const CACHE_KIB = 64 * 1024;
const NUMBERS = new Set(['integer', 'instant', 'flag']);

/**
 * Stores everything in one transaction with a rollback journal, which takes no room for new pages of the
 * file. If the process dies, SQLite rolls back when the file is opened again: it is then empty, and has the
 * mark.
 */
class FileTarget extends FileSource implements CopyTarget {
  readonly #triggers: readonly string[];
  #prepared: { readonly table: Table; readonly insert: Sqlite.Statement } | null = null;

  constructor(file: string, database: Sqlite.Database, onClosed: () => void) {
    super(file, database, onClosed);
    database.exec('begin exclusive');
    const query = "select sql from sqlite_schema where type = 'trigger' order by rowid";
    this.#triggers = database.prepare(query).pluck().all() as string[];
    for (const trigger of namesIn(database, 'trigger')) database.exec(`drop trigger "${trigger}"`);
    for (const table of TABLE_NAMES.toReversed()) database.exec(`delete from ${table}`);
    database.exec('delete from sqlite_sequence');
  }

  async insert(table: Table, rows: readonly CopyRow[]): Promise<void> {
    await explained(() => {
      const isNumber = Object.values(table.columns).map(({ kind }) => NUMBERS.has(kind));
      const bound = (value: CopyValue, index: number): unknown =>
        value !== null && isNumber[index] === true ? Number(value) : value;
      if (this.#prepared?.table !== table) this.#prepared = { table, insert: this.#inserter(table) };
      for (const row of rows) this.#prepared.insert.run(...row.map(bound));
    });
  }

  async finish(): Promise<void> {
    await explained(() => this.database.exec(this.#triggers.join('; ')));
  }

  async commit(): Promise<void> {
    await explained(() => this.database.exec(`drop table ${UNFINISHED_TABLE}; commit`));
  }

  override async close(): Promise<void> {
    const isStored = !this.database.inTransaction;
    this.database.close();
    if (isStored) replaceMarker(this.name, headOf(this.name));
    this.onClosed();
    await Promise.resolve();
  }

  #inserter({ name, columns }: Table): Sqlite.Statement {
    const names = Object.keys(columns);
    return this.database.prepare(
      `insert into ${name} (${names.map((column) => `"${column}"`).join()}) values (${names.map(() => '?').join()})`,
    );
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
    demandEmpty(file, stateOfCopy(file, database));
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

async function explained(use: () => void): Promise<void> {
  try {
    use();
    await Promise.resolve();
  } catch (error) {
    throw translate(error);
  }
}
