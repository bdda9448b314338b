import type Sqlite from 'better-sqlite3';

import type { CopyReader } from '../../copy/place.js';
import { demandKnownTables, type Column, type TableShape } from '../../copy/tables.js';
import { bytesOf, type CopyRow, type CopyValue } from '../../copy/values.js';
import { DatabaseRefused } from '../../refused.js';

const BATCH_BYTES = 1024 * 1024;
const BATCH_ROWS = 2_000;

/** Reads the tables of a SQLite file through a connection with an open transaction. */
export class FileReader implements CopyReader {
  constructor(
    readonly name: string,
    protected readonly database: Sqlite.Database,
  ) {}

  async demandKnownTables(): Promise<void> {
    demandKnownTables(
      this.name,
      this.texts("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"),
    );
    await Promise.resolve();
  }

  count(table: string): Promise<number> {
    return Promise.resolve(Number(this.database.prepare(`select count(*) from ${table}`).pluck().get()));
  }

  bytes(table: string): Promise<number> {
    const query = 'select sum(pgsize) from dbstat where name = ? and aggregate = true';
    return Promise.resolve(Number(this.database.prepare(query).pluck().get(table)));
  }

  async *rows(shape: TableShape): AsyncIterable<readonly CopyRow[]> {
    for (const batch of this.#batches(shape)) {
      yield batch;
      // Lets the target continue between two batches.
      await Promise.resolve();
    }
  }

  *#batches(shape: TableShape): Iterable<readonly CopyRow[]> {
    const columns = shape.columns.map(({ name }) => `"${name}"`).join(', ');
    const statement = this.database.prepare(
      `select ${columns} from ${shape.name} order by ${shape.key.join(', ')}`,
    );
    const readers = shape.columns.map((column) => readerOf(shape, column));
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

  lastNumbers(): Promise<ReadonlyMap<string, number>> {
    const rows = this.database.prepare('select name, seq from sqlite_sequence').raw().all();
    return Promise.resolve(new Map(rows as [string, number][]));
  }

  protected texts(query: string): readonly string[] {
    return this.database.prepare(query).pluck().all() as string[];
  }
}

/** Checks that a value is of its kind, since SQLite itself stores any value in any column. */
function readerOf({ name: table }: TableShape, { name, kind }: Column): (value: unknown) => CopyValue {
  const refuse = (value: unknown): never => {
    const what = typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
    throw new DatabaseRefused(
      'unusable',
      `${table}.${name} has ${what}, which no column of kind ${kind} can hold: correct it, then copy again.`,
    );
  };
  if (kind === 'bytes') return (value) => (value instanceof Uint8Array ? value : refuse(value));
  if (kind === 'integer' || kind === 'instant') {
    return (value) => (Number.isSafeInteger(value) ? String(value) : refuse(value));
  }
  if (kind === 'flag') return (value) => (value === 0 || value === 1 ? String(value) : refuse(value));
  return (value) => (typeof value === 'string' ? value : refuse(value));
}
