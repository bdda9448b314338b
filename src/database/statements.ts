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

import { DomainError } from '../platform/errors.js';
import type { Tables } from '../schema/schema.js';
import { exactComparisons, toColumn, type Condition } from './list/condition.js';
import { areSame, type Sql } from './storage.js';

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

/** Returns a function that adds up the texts of rows. Errors: `malformed` for more than `MAX_BYTES_READ`. */
export function textCounter(): (row: object) => void {
  let bytes = 0;
  return (row) => {
    for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
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
  notify(sql: string): StatementEnd | undefined {
    const ends: StatementEnd[] = [];
    for (const listener of this.#all) {
      const end = listener(sql);
      if (typeof end === 'function') ends.push(end);
    }
    return ends.length === 0 ? undefined : (error) => ends.forEach((end) => end(error));
  }
}
