import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  sql,
  Transaction,
  type DatabaseConnection,
  type Dialect,
  type QueryExecutor,
  type QueryExecutorProvider,
  type QueryResult,
} from 'kysely';

import { systemClock } from '../platform/clock.js';
import { type DomainCode, DomainError, isStorageCode } from '../platform/errors.js';
import { type Tables, COUNTED, TABLES } from '../schema/schema.js';
import { exactComparisons, toColumn, type Condition } from './list/condition.js';
import { areSame, type Sql, portable } from './storage.js';

interface Handle {
  readonly connection: DatabaseConnection;
  /** Compiled queries by shape, without their parameters; one map for each kind of database. */
  readonly queries: Map<string, CompiledQuery>;
}

const handles = new WeakMap<QueryExecutor, Handle>();

/** Makes handles of one kind of database, which build statements that `execute` runs and share all else. */
export function handlesOf(
  parts: Omit<Dialect, 'createDriver'>,
): (execute: <R>(query: CompiledQuery) => Promise<QueryResult<R>>) => Transaction<Tables> {
  const dialect: Dialect = { ...parts, createDriver: () => new DummyDriver() };
  const base = new Kysely<Tables>({ dialect }).getExecutor();
  const props = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const queries: Handle['queries'] = new Map();
  return (execute) => {
    const connection: DatabaseConnection = { executeQuery: execute, streamQuery: noStream };
    const executor = base.withConnectionProvider({ provideConnection: (use) => use(connection) });
    handles.set(executor, { connection, queries });
    return new Transaction<Tables>({ ...props, executor });
  };
}

function noStream(): never {
  throw new Error('A statement returns all rows at once: read them in pages.');
}

/** Maximum cached shapes. Clients choose some of them, so beyond this number the oldest are dropped. */
const MAX_SHAPES = 3_000;

/** Runs a query whose SQL text is the same for every `shape`: compiling takes longer than reading a row by its id. */
export async function runCached<R>(
  db: QueryExecutorProvider,
  shape: string,
  parameters: readonly unknown[],
  build: () => { compile(db: QueryExecutorProvider): CompiledQuery },
): Promise<R[]> {
  const handle = handles.get(db.getExecutor());
  if (handle === undefined) throw new Error('The handle is not one of a database.');
  const { connection, queries } = handle;
  let query = queries.get(shape);
  if (query === undefined) {
    const { sql: text, parameters: values } = build().compile(db);
    const isSame = (value: unknown, place: number): boolean => areSame(value, parameters[place]);
    if (values.length !== parameters.length || !values.every(isSame))
      throw new Error(`Wrong parameters for: ${text}`);
    query = CompiledQuery.raw(text);
    if (queries.size >= MAX_SHAPES) queries.delete(queries.keys().next().value ?? '');
    queries.set(shape, query);
  }
  return (await connection.executeQuery<R>({ ...query, parameters })).rows;
}

/** SQL after the values of an INSERT, for example RETURNING; `name` identifies it, and is null if it binds values. */
export interface Ending {
  readonly name: string | null;
  readonly sql: Sql;
}

export const NO_ENDING: Ending = { name: '', sql: sql`` };

/** Inserts rows with one statement. All have the columns of the first row. */
export async function insertRows<R>(
  db: QueryExecutorProvider,
  table: string,
  rows: readonly object[],
  ending = NO_ENDING,
): Promise<R[]> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column]));
  const build = (): Sql<R> => sql<R>`insert into ${sql.table(table)}
    (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values.map((row) => sql`(${sql.join(row)})`))} ${ending.sql}`;
  if (rows.length > 1 || ending.name === null) return (await build().execute(db)).rows;
  return await runCached<R>(db, ['insert', table, ...columns, ending.name].join('|'), values.flat(), build);
}

/** Tables whose ids count from 1 in each company, so that gaps tell nothing of others (decisions.md#ids-by-company). */
export const NUMBERED_TABLES: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ name, columns }) => ('id' in columns && 'company_id' in columns ? [name] : [])),
);

/** Tables whose INSERT draws the number of its row itself, since a trigger of SQLite stores it. */
export const DRAWING_TABLES: ReadonlySet<string> = new Set(
  COUNTED.flatMap(({ table, drawn }) => (drawn === null ? [] : [table])),
);

/**
 * Draws `count` consecutive ids of a table for each company (0 for rows without one), in one statement. Returns the
 * first id by company. No id is drawn twice, and they become visible in ascending order: units of a company write in
 * turn.
 */
export async function drawIds(
  db: QueryExecutorProvider,
  table: string,
  draws: readonly { readonly companyId: number; readonly count: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (draws.length === 0) return new Map();
  const parameters = draws.flatMap(({ companyId, count }) => [companyId, table, count]);
  const rows = await runCached<{ company_id: number; last_drawn: number }>(
    db,
    `draw ids for ${draws.length}`,
    parameters,
    () => sql`insert into counters (company_id, name, total, last_drawn)
      values ${sql.join(draws.map(({ companyId, count }) => sql`(${companyId}, ${table}, 0, ${count})`))}
      on conflict (company_id, name) do update set last_drawn = counters.last_drawn + excluded.last_drawn
      returning company_id, last_drawn`,
  );
  const last = new Map(rows.map((row) => [row.company_id, row.last_drawn]));
  return new Map(draws.map(({ companyId, count }) => [companyId, (last.get(companyId) ?? 0) - count + 1]));
}

/** Inserts a row of one of `DRAWING_TABLES` and draws its id, stored in the column `number`, in one statement. */
export async function insertDrawing<R>(
  db: QueryExecutorProvider,
  { table, number, companyId }: { table: string; number: string; companyId: number },
  row: object,
  ending: Ending,
): Promise<R[]> {
  const columns = Object.keys(row);
  const values: unknown[] = Object.values(row);
  const shape = ['insert drawing', table, ...columns, ending.name].join('|');
  return await runCached<R>(db, shape, [companyId, ...values], () => {
    const name = sql.lit(table);
    // No other values may be bound before those of the row.
    const before = portable(
      sql``,
      sql`with drawn as (insert into counters (company_id, name, total, last_drawn) values (${companyId}, ${name}, 0, 1)
        on conflict (company_id, name) do update set last_drawn = counters.last_drawn + 1 returning last_drawn) `,
    );
    const id = portable(
      sql`coalesce((select last_drawn from counters where company_id = ${companyId} and name = ${name}), 0) + 1`,
      sql`(select last_drawn from drawn)`,
    );
    return sql`${before}insert into ${sql.table(table)}
      (${sql.join([number, ...columns].map((column) => sql.ref(column)))})
      values (${sql.join([id, ...values])}) ${ending.sql}`;
  });
}

export interface Filtered {
  readonly name: string;
  readonly where: Condition | null;
  /** Parameters before those of `where`, and after them. */
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** Runs a query with a filter; cached if that consists of a few comparisons, see `exactComparisons`. */
export async function runFiltered<R>(
  db: QueryExecutorProvider,
  { name, where, before, after }: Filtered,
  build: () => { compile(db: QueryExecutorProvider): CompiledQuery },
): Promise<R[]> {
  const exact = where === null ? [] : exactComparisons(where);
  if (exact === undefined) return (await db.getExecutor().executeQuery<R>(build().compile(db))).rows;
  const shape = [name, ...exact.map(({ field }) => field)].join('|');
  const values = exact.map(({ value }) => toColumn(value));
  return await runCached<R>(db, shape, [...before, ...values, ...after], build);
}

/** Columns whose values may be long; a few thousand rows of them may not fit into memory. */
export const LONG_COLUMNS: ReadonlySet<string> = new Set(['value', 'before', 'after', 'sent', 'received']);

/** Maximum length of all texts in the rows of one statement outside a write transaction. */
export const MAX_BYTES_READ = 32 * 1024 * 1024;

export function tooManyBytes(): DomainError {
  const message = `The records have more than ${MAX_BYTES_READ} bytes: request fewer at once.`;
  return new DomainError('malformed', message);
}

/** Error of a read of many rows that exceeds its deadline. */
export function tookTooLong(): DomainError {
  const message =
    'Reading this took too long, because too many records had to be examined. Narrow it down, for example to a shorter time or with fewer conditions.';
  return new DomainError('deadline_exceeded', message, { retryAfter: 10 });
}

/** Returns a function that adds up the texts of rows. Errors: `malformed` for more than `MAX_BYTES_READ`. */
export function textCounter(): (row: object) => void {
  let bytes = 0;
  return (row) => {
    // Object.values would make a list for each row.
    for (const name in row) {
      const value: unknown = row[name as keyof typeof row];
      if (typeof value === 'string') bytes += value.length;
    }
    if (bytes > MAX_BYTES_READ) throw tooManyBytes();
  };
}

/** Called when the statement has ended, with its error if it failed. */
export type StatementEnd = (error?: unknown) => void;

/** Called with the text of each statement before it runs, never with its values; may return a function for its end. */
export type StatementListener = ((sql: string) => StatementEnd) | ((sql: string) => void);

export class StatementListeners {
  readonly #all = new Set<StatementListener>();

  /** Adds a listener, until the returned function is called. */
  add(listener: StatementListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** Calls all listeners. Returns the function to call when the statement has ended; undefined if there is none. */
  readonly notify = (sql: string): StatementEnd | undefined => {
    const ends: StatementEnd[] = [];
    for (const listener of this.#all) {
      const end = listener(sql);
      if (typeof end === 'function') ends.push(end);
    }
    return ends.length === 0 ? undefined : (error) => ends.forEach((end) => end(error));
  };

  /** Calls all listeners before and after `use`. */
  readonly during = async <T>(text: string, use: () => Promise<T>): Promise<T> => {
    const ended = this.notify(text);
    try {
      const result = await use();
      ended?.();
      return result;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  };
}

/** Milliseconds after a fault in which no write is tried: a small one may succeed where larger ones still fail. */
const RECENT_MS = 5_000;

export class DatabaseHealth {
  #fault: DomainCode | null = null;
  /** True if the file is damaged or an fsync failed: the state does not change until the process restarts. */
  #lasting = false;
  #reportedAt = -Infinity;

  /** The code of the latest fault; null before the first one and after a successful write. */
  get fault(): DomainCode | null {
    return this.#fault;
  }

  get isLasting(): boolean {
    return this.#lasting;
  }

  /** True if a write may be tried: only that can show that the fault is over, and enough time has passed since it began. */
  get mayRetry(): boolean {
    const isRecent = systemClock.elapsed() - this.#reportedAt < RECENT_MS;
    return this.#fault !== null && !this.#lasting && !isRecent;
  }

  report(code: DomainCode): void {
    if (this.#lasting || !isStorageCode(code)) return;
    this.#reportedAt = systemClock.elapsed();
    this.#fault = code;
    this.#lasting = code === 'db_corrupt';
  }

  /** Records a failed fsync: written data may be lost. */
  reportFatal(): void {
    if (!this.#lasting) this.#fault = 'storage_unavailable';
    this.#lasting = true;
  }

  recovered(): void {
    if (!this.#lasting) this.#fault = null;
  }

  /** Refuses writes after a lasting fault. Errors: `db_corrupt`, `storage_unavailable`. */
  requireWritable(): void {
    if (!this.#lasting || this.#fault === null) return;
    const [what, retryAfter] =
      this.#fault === 'db_corrupt' ? ['database file is damaged', 300] : ['storage failed', 10];
    throw new DomainError(this.#fault, `The ${what}: nothing is written.`, { retryAfter });
  }
}
