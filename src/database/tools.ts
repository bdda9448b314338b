import { counted } from '../platform/errors.js';
import type { StorageSizes } from './database.js';
import { RECORDS, type OldestRow, type TotalRow } from './totals.js';

/** Operations of the commands `db …` on a database, which servers may be using. */
export interface DatabaseTools {
  /** Location of the database in the output of commands: `{ file: PATH }` or `{ database: NAME }`. */
  readonly place: Readonly<Record<string, string>>;
  /** Names of pending migrations. Errors: `DatabaseRefused`. */
  pending(): Promise<readonly string[]>;
  /**
   * Tables that pending migrations touch, and how they lock them. Changes nothing. Errors: `DatabaseRefused`.
   */
  touched(): Promise<readonly TouchedTable[]>;
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

/** A table that a pending migration changes or writes to. */
export interface TouchedTable {
  readonly migration: string;
  /** `*` for the whole file. */
  readonly table: string;
  /**
   * Strongest lock of the migration, for example `AccessExclusiveLock`: no other session can read or write the
   * table meanwhile.
   */
  readonly lock: string;
  /** Rows of the table; on PostgreSQL, an estimate from its last analysis. */
  readonly rows: number;
  /** Whether the table is rewritten. Updates of single rows are not reported. */
  readonly isRewritten: boolean;
}

/** Number of tables in the text; the JSON has all. */
const LARGEST = 10;

interface Found {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Results of `TOTAL_ROWS` and `OLDEST_ROWS`. */
  readonly totals: readonly TotalRow[];
  readonly oldest: readonly OldestRow[];
  readonly sizes: StorageSizes | null;
}

/** Output of `db info`. `title` and `own` are what only one kind of database has. */
export function description(
  title: string,
  own: Readonly<Record<string, unknown>>,
  { applied, pending, sizes, ...found }: Found,
): Description {
  const known = new Map(found.totals.map(({ name, total }) => [name, total]));
  const totals = ['companies', 'users', ...RECORDS].map((name) => [name, known.get(name) ?? 0] as const);
  const oldest = found.oldest.map(({ kind, at }) => [kind, at === null ? null : new Date(at)] as const);
  const { companies, users, ...records } = Object.fromEntries(totals);
  const state = stateOf(applied, pending);
  const free = sizes?.freeBytes ?? null;
  const largest = Object.entries(sizes?.tables ?? {})
    .toSorted(([, a], [, b]) => b.bytes - a.bytes)
    .slice(0, LARGEST);
  return {
    fields: {
      ...own,
      state,
      applied,
      pending,
      companies,
      users,
      records,
      tables: sizes?.tables ?? null,
      free_bytes: free,
      oldest: Object.fromEntries(oldest),
    },
    lines: [
      title,
      `schema ${state}: ${[...applied, ...pending.map((name) => `${name} (pending)`)].join(', ')}`,
      ...totals.map(([name, total]) => `${name}: ${total}`),
      ...largest.map(([name, { bytes, rows }]) => `table ${name}: ${bytes} bytes, ${counted(rows, 'row')}`),
      ...(free === null ? [] : [`free in the file: ${free} bytes`]),
      ...oldest.map(([kind, at]) => `oldest of ${kind}: ${at?.toISOString() ?? 'none'}`),
    ],
  };
}

function stateOf(applied: readonly string[], pending: readonly string[]): 'current' | 'new' | 'older' {
  if (pending.length === 0) return 'current';
  return applied.length === 0 ? 'new' : 'older';
}
