import type { Environment } from '../platform/config/config.js';
import type { DatabaseUrl } from '../platform/config/database-url.js';
import { counted } from '../platform/errors.js';
import { HAS_ENDED } from '../schema/messages.js';
import { ROLLUPS, wrongRows, type Rollup } from '../schema/rollups.js';
import { COUNTED, type CounterName } from '../schema/schema.js';
import type { StorageSizes } from './database.js';

/** Operations of the commands `db …` on a database, which servers may be using. */
export interface DatabaseTools {
  /** Location of the database in the output of commands: `{ file: PATH }` or `{ database: NAME }`. */
  readonly place: Readonly<Record<string, string>>;
  /** Names of pending migrations. Errors: `DatabaseRefused`. */
  pending(): Promise<readonly string[]>;
  /** Tables that pending migrations touch, and how they lock them. Changes nothing. Errors: `DatabaseRefused`. */
  touched(): Promise<readonly TouchedTable[]>;
  /** Reads the whole database. Errors: `DatabaseRefused`. */
  check(): Promise<Checked>;
  /**
   * Copies the database to a new file, and notes the time for the metric of its age. Resolves to null, or to why that
   * was not possible. Errors: `DatabaseRefused`; for PostgreSQL with the command to use instead.
   */
  backup(target: string, onProgress: Progress): Promise<string | null>;
  /** Creates the database from a backup. Errors: as `backup`, also if the database exists. */
  restore(source: string, onProgress: Progress): Promise<void>;
  /** Returns the room of deleted rows to the disk. Errors: as `backup`. */
  compact(): Promise<{ readonly before: number; readonly after: number }>;
  /**
   * Prepares a drill whose files are in the folder; `into` is an empty database, which a file needs not. `environment` is
   * that of the programs of PostgreSQL. Errors: `DatabaseRefused`.
   */
  drill(folder: string, into: DatabaseUrl | null, environment: Environment): Promise<Drill>;
  describe(): Promise<Description>;
  /** Removes an earlier demo. Errors: `DatabaseRefused` if it is used, or if its records may be real ones. */
  makeEmpty(): Promise<void>;
}

/** A backup that is restored beside its database, checked and removed. Its steps run in this order. */
export interface Drill {
  backup(onProgress: Progress): Promise<void>;
  restore(onProgress: Progress): Promise<void>;
  check(): Promise<void>;
  remove(): Promise<void>;
  /** The folder and the database of the drill, which remain if a step fails. */
  readonly left: readonly string[];
}

export interface Checked {
  readonly problems: readonly string[];
  /** Rows of each table, for example `{ devices: 17 }`; null for a file, whose backup is checked when it is made. */
  readonly rows: Readonly<Record<string, number>> | null;
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
  /** Strongest lock, for example `AccessExclusiveLock`: no other session can read or write the table meanwhile. */
  readonly lock: string;
  /** Rows of the table; on PostgreSQL, an estimate from its last analysis. */
  readonly rows: number;
  /** True if the table is rewritten. Updates of single rows are not reported. */
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

/** Counters that describe a database. */
const RECORDS: readonly CounterName[] = [
  ...(['groups', 'logical_numbers', 'devices', 'apps', 'files', 'notifications', 'transactions'] as const),
];

/** SQL for both databases: numbers of companies, of users and of `RECORDS`, as `name` and `total`. */
export const TOTAL_ROWS = `select 'companies' as name, count(*) as total from companies
  union all select 'users', count(*) from users
  union all select name, sum(total) from counters
    where name in (${RECORDS.map((name) => `'${name}'`).join(', ')}) group by name`;

export interface TotalRow {
  readonly name: string;
  readonly total: number;
}

const OLDEST = {
  transactions: `select (select t.recorded_at from transactions as t
    where t.company_id = c.id order by t.id limit 1) as oldest from companies as c`,
  ledger: `select (select l.at from ledger as l
    where l.company_id = c.id order by l.sequence limit 1) as oldest from companies as c`,
  deliveries: `select (select min(d.finished_at) from notification_deliveries as d
    where d.company_id = c.id and d.${HAS_ENDED}) as oldest
    from companies as c`,
  logs: `select (select min(l.created_at) from device_logs as l where l.company_id = c.id) as oldest
    from companies as c`,
};

/** SQL for both databases: the time `at` of the oldest row of each `kind` that retention deletes. */
export const OLDEST_ROWS = Object.entries(OLDEST)
  .map(([kind, query]) => `select '${kind}' as kind, (select min(oldest) from (${query}) as found) as at`)
  .join(' union all ');

export interface OldestRow {
  readonly kind: string;
  readonly at: number | null;
}

/** Maximum problems that one query of `totalChecks` returns. */
const MAX_PROBLEMS = 100;

/**
 * Queries for both databases that compare counters, sums and ledgers with the rows; each row is a `problem`. `minute`
 * is SQL for the minute of a transaction, `timeOf` for the text of a time, in minutes and seconds since 1970.
 */
export function totalChecks(minute: string, timeOf: (seconds: string) => string): readonly string[] {
  const wrongSums = (rollup: Rollup): string =>
    `select 'company ' || company_id || ': the totals of ' || span || ' minutes from ' || ${timeOf('start * 60')}
        || ' are wrong in ${rollup.name}' as problem
      from (${wrongRows(rollup, minute)}) as found order by company_id, span desc, start`;
  const queries = [...COUNTED.map(wrongCounter), ...ROLLUPS.map(wrongSums), WRONG_SEQUENCES];
  return queries.map((query) => `${query} limit ${MAX_PROBLEMS}`);
}

function wrongCounter({ table, counter }: (typeof COUNTED)[number]): string {
  return `select 'company ' || c.id || ': its counter of ${counter} is ' || coalesce(k.total, 0) || ', but it has '
      || coalesce(r.total, 0) as problem
    from companies as c left join counters as k on k.company_id = c.id and k.name = '${counter}'
    left join (select company_id, count(*) as total from ${table} group by company_id) as r on r.company_id = c.id
    where coalesce(k.total, 0) <> coalesce(r.total, 0)`;
}

/** Ledgers whose sequences have gaps, or do not end with the last one drawn. */
const WRONG_SEQUENCES = `select 'company ' || c.company_id || ': its ledger has ' || coalesce(l.total, 0)
    || ' entries from ' || coalesce(l.first, 0) || ' to ' || coalesce(l.last, 0) || ', but ' || c.last_drawn
    || ' was given' as problem
  from counters as c left join (select coalesce(company_id, 0) as company_id, min(sequence) as first,
    max(sequence) as last, count(*) as total from ledger group by 1) as l on l.company_id = c.company_id
  where c.name = 'ledger' and (l.last is distinct from c.last_drawn or l.total <> l.last - l.first + 1)`;
