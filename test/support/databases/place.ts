import { inject } from 'vitest';

import type { Database, ExaminingLimits } from '../../../src/database/database.js';
import { newPostgresPlace } from './postgres-place.js';
import { newSqlitePlace } from './sqlite-place.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Database that the tests of a project run on. Only `test/support/` reads it. */
    database: 'sqlite' | 'postgres';
  }
}

export interface OpenOptions {
  /** Other limits of reads that examine many rows. */
  readonly examining?: Partial<ExaminingLimits>;
  /** Called with the reason when a reader thread ended by itself. */
  readonly onThreadLost?: (error: unknown) => void;
}

/** A value of a parameter. A `Date` is bound as an instant, a boolean as a flag. */
export type SqlValue = string | number | boolean | Date | Uint8Array | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A database of one test, whichever kind it is. */
export interface TestPlace {
  /** For `DATABASE_URL`: `file:/dev/shm/…/gateway.db` or `postgres://…`. */
  readonly url: string;
  /** Opens it, as a process of its own would; creates its tables if there are none. */
  open(options?: OpenOptions): Promise<Database>;
  /** Lets changes of a table wait, as those of all tables do on SQLite, until the returned function is called. */
  lock(table: string): Promise<() => Promise<void>>;
  /**
   * Lets each insert into a table fail with an unexpected error, which has words of the database in it, until the returned
   * function is called.
   */
  failInserts(table: string): Promise<() => Promise<void>>;
  /**
   * Runs one statement as the owner of the tables, on a connection of its own; `$1` is the first of `values`. The text
   * must be SQL of every database. Rows have instants as milliseconds since 1970, and flags as 0 and 1 or as booleans.
   */
  readonly sql: <Row = Record<string, unknown>>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>;
  /** Problems found by `db check`; empty if the database is sound. */
  check(): Promise<readonly string[]>;
  /** Everything that is stored, as text in which one can look for values: the bytes of the files, or all rows. */
  stored(): Promise<string>;
  /** Ids that the database itself draws from now on are greater than this. */
  continueIdsAfter(last: number): Promise<void>;
  /** Inserts rows that foreign keys forbid. */
  insertForbidden(rows: readonly (readonly [table: string, row: SqlRow])[]): Promise<void>;
  /** Lets statements of `sql` change and delete entries of the ledger, and give two entries the same sequence. */
  unprotectLedger(): Promise<void>;
  /** Closes the connection of `sql`, so that the database can be copied. */
  disconnect(): Promise<void>;
  /** Removes it with all its data. */
  remove(): Promise<void>;
}

export interface PlaceOptions {
  /** Whether it has tables; true unless given. */
  readonly isMigrated?: boolean;
  /** An existing folder for its files, if it has any. */
  readonly folder?: string;
  /** A database of tests that nobody has open; its tables and rows are copied. */
  readonly copyOf?: TestPlace;
}

/** Makes an empty database. */
export async function newDatabase(options: PlaceOptions = {}): Promise<TestPlace> {
  return inject('database') === 'postgres' ? await newPostgresPlace(options) : newSqlitePlace(options);
}
