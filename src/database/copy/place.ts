import type { TableShape } from './tables.js';
import type { CopyRow } from './values.js';

/** A database that tables are read from, all in the same state. */
export interface CopyReader {
  /** Without a password. */
  readonly name: string;
  /** The tables of `COPIED_TABLES`, in its order. Errors: `DatabaseRefused` if it has tables that are not known. */
  shapes(): Promise<readonly TableShape[]>;
  count(table: string): Promise<number>;
  /** Rows in the order of the primary key, in batches of bounded size. One table at a time. */
  rows(shape: TableShape): AsyncIterable<readonly CopyRow[]>;
  /** By table, the last number that was given where the database itself numbers the rows. */
  lastNumbers(): Promise<ReadonlyMap<string, number>>;
}

export interface CopySource extends CopyReader {
  /** Bytes of a table in the storage, without indexes. */
  bytes(table: string): Promise<number>;
  close(): Promise<void>;
}

/** An empty database in one open transaction, in which neither triggers nor row-level security take part. */
export interface CopyTarget extends CopyReader {
  /** Rows in the order of the primary key. */
  insert(shape: TableShape, rows: readonly CopyRow[]): Promise<void>;
  /** Puts back what took no part. `numbers` are those of `lastNumbers`. What is then read is what `commit` stores. */
  finish(numbers: ReadonlyMap<string, number>): Promise<void>;
  /** Stores everything, and removes the mark of an unfinished copy in the same transaction. */
  commit(): Promise<void>;
  /** Without a commit before, the database stays empty and marked. */
  close(): Promise<void>;
}

/** What is known of a database before a copy into it. */
export interface TargetState {
  /** Rows of all tables. */
  readonly records: number;
  /** Where an unfinished copy came from; null if there is none. */
  readonly unfinished: string | null;
}
