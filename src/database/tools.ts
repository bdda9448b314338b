import { counted } from '../platform/errors.js';
import type { StorageSizes } from './database.js';
import type { Oldest } from './totals.js';

/** Operations of the commands `db …` on a database, which servers may be using. */
export interface DatabaseTools {
  /** Location of the database in the output of commands: `{ file: PATH }` or `{ database: NAME }`. */
  readonly place: Readonly<Record<string, string>>;
  /** Names of pending migrations. Errors: `DatabaseRefused`. */
  pending(): Promise<readonly string[]>;
  /** Reads the whole database. Resolves to the problems found. Errors: `DatabaseRefused`. */
  check(): Promise<readonly string[]>;
  /**
   * Rows of each table, for example `{ devices: 17 }`; null for a file, whose backup is checked when it is
   * made.
   */
  rowCounts(): Promise<Readonly<Record<string, number>> | null>;
  /**
   * Copies the database to a new file. Errors: `DatabaseRefused`; for PostgreSQL, it names the command to use
   * instead.
   */
  backup(target: string, onProgress: Progress): Promise<void>;
  /** Records the time of a backup, for the metric of its age. Errors: those of the operating system. */
  noteBackup(): void;
  /** Creates the database from a backup. Errors: as `backup`, also if the database exists. */
  restore(source: string, onProgress: Progress): Promise<void>;
  /** Returns the room of deleted rows to the disk. Errors: as `backup`. */
  compact(): Promise<{ readonly before: number; readonly after: number }>;
  describe(): Promise<Description>;
  /**
   * Removes an earlier demo before a new one is created. Errors: `DatabaseRefused` if a server uses the
   * database, or if its records may be real ones.
   */
  makeEmpty(): Promise<void>;
}

export type Progress = (done: number, total: number) => void;

export interface Description {
  /** Values for programs (JSON). */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Lines of text for people. */
  readonly lines: readonly string[];
}

/** Number of tables in the text; the JSON has all. */
const LARGEST = 10;

/** Sizes of tables, and the ages of their rows, in the output of `db info`. */
export function storageFields(sizes: StorageSizes | null, oldest: Oldest): Readonly<Record<string, unknown>> {
  return { tables: sizes?.tables ?? null, free_bytes: sizes?.freeBytes ?? null, oldest };
}

export function storageLines(sizes: StorageSizes | null, oldest: Oldest): readonly string[] {
  const largest = Object.entries(sizes?.tables ?? {})
    .toSorted(([, a], [, b]) => b.bytes - a.bytes)
    .slice(0, LARGEST);
  const free = sizes?.freeBytes ?? null;
  return [
    ...largest.map(([name, { bytes, rows }]) => `table ${name}: ${bytes} bytes, ${counted(rows, 'row')}`),
    ...(free === null ? [] : [`free in the file: ${free} bytes`]),
    ...Object.entries(oldest).map(([kind, at]) => `oldest of ${kind}: ${at?.toISOString() ?? 'none'}`),
  ];
}
