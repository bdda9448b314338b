import type { TableShape } from './tables.js';
import type { CopyRow } from './values.js';

/** A database whose tables are read, all in the same state. */
export interface CopyReader {
  /** Name without a password. */
  readonly name: string;
  /** Errors: `DatabaseRefused` if it has tables that are not in the schema. */
  demandKnownTables(): Promise<void>;
  count(table: string): Promise<number>;
  /** Rows in the order of the primary key, in batches of bounded size. One table at a time. */
  rows(shape: TableShape): AsyncIterable<readonly CopyRow[]>;
  /** Last numbers by table, for tables whose rows the database itself numbers. */
  lastNumbers(): Promise<ReadonlyMap<string, number>>;
}

export interface CopySource extends CopyReader {
  /** Bytes of a table in the storage, without indexes. */
  bytes(table: string): Promise<number>;
  close(): Promise<void>;
}

/** An empty database in an open transaction, with triggers and row-level security turned off. */
export interface CopyTarget extends CopyReader {
  /** Rows in the order of the primary key. */
  insert(shape: TableShape, rows: readonly CopyRow[]): Promise<void>;
  /**
   * Turns on again what was off. `numbers` are those of `lastNumbers`. Reads then return what `commit`
   * stores.
   */
  finish(numbers: ReadonlyMap<string, number>): Promise<void>;
  /** Stores everything, and removes the mark of an unfinished copy in the same transaction. */
  commit(): Promise<void>;
  /** Closes the database. Without an earlier `commit`, it stays empty and marked. */
  close(): Promise<void>;
}

/** State of a database before a copy into it. */
export interface TargetState {
  /** Number of rows in all tables. */
  readonly records: number;
  /** Source of the unfinished copy in the database; null if there is none. */
  readonly unfinished: string | null;
}
