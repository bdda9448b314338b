import type Sqlite from 'better-sqlite3';

import type { CopyReader } from '../../copy/place.js';
import { COPIED_TABLES, kindOf, unknownTables, type Column, type TableShape } from '../../copy/tables.js';
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

  shapes(): Promise<readonly TableShape[]> {
    const existing = this.texts(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    );
    const unknown = unknownTables(existing);
    if (unknown.length === 0) return Promise.resolve(COPIED_TABLES.map((table) => this.#shapeOf(table)));
    return Promise.reject(
      new DatabaseRefused('unusable', `${this.name}: db copy does not know ${unknown.join(', ')}.`),
    );
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

  #shapeOf(name: string): TableShape {
    const found = this.database.pragma(`table_info(${name})`) as { name: string; type: string; pk: number }[];
    const columns = found
      .map((column) => ({ name: column.name, kind: kindOf(name, column.name, column.type) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const key = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return { name, columns, key: key.map((column) => column.name) };
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
