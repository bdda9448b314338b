import {
  CompiledQuery,
  sql,
  type DialectAdapter,
  type QueryExecutorProvider,
  type RawBuilder,
  type DatabaseConnection,
  type QueryExecutor,
  type QueryResult,
} from 'kysely';

import { exactComparisons, toColumn, type Condition } from './list/condition.js';
import { areSame } from './storage.js';

/** Maximum cached shapes. Clients choose some of them, so beyond this number the oldest are dropped. */
const MAX_SHAPES = 3_000;

/** Compiled queries by shape, without their parameters, for each database. */
const queries = new WeakMap<DialectAdapter, Map<string, CompiledQuery>>();

/**
 * Runs a query whose SQL text is the same for every call with this `shape`. The first call compiles it, since
 * building and compiling a query takes longer than SQLite needs for a row by its id. `parameters` are the
 * values that the text binds, in its order.
 */
export async function runCached<R>(
  db: QueryExecutorProvider,
  shape: string,
  parameters: readonly unknown[],
  build: () => { compile(db: QueryExecutorProvider): CompiledQuery },
): Promise<R[]> {
  const executor = db.getExecutor();
  const query = queriesOf(executor.adapter).get(shape) ?? compiled(db, shape, parameters, build);
  return (await execute<R>(executor, { ...query, parameters })).rows;
}

function queriesOf(adapter: DialectAdapter): Map<string, CompiledQuery> {
  const known = queries.get(adapter);
  if (known !== undefined) return known;
  const made = new Map<string, CompiledQuery>();
  queries.set(adapter, made);
  return made;
}

function compiled(
  db: QueryExecutorProvider,
  shape: string,
  parameters: readonly unknown[],
  build: () => { compile(db: QueryExecutorProvider): CompiledQuery },
): CompiledQuery {
  const { sql: text, parameters: values } = build().compile(db);
  if (!areEqual(values, parameters)) throw new Error(`Wrong parameters for: ${text}`);
  const query = CompiledQuery.raw(text);
  const known = queriesOf(db.getExecutor().adapter);
  if (known.size >= MAX_SHAPES) known.delete(known.keys().next().value ?? '');
  known.set(shape, query);
  return query;
}

function areEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, place) => areSame(value, other[place]));
}

/**
 * SQL after the values of an INSERT, for example RETURNING. `name` is its name in cached shapes; null for SQL
 * that binds values, which is not cached.
 */
export interface Ending {
  readonly name: string | null;
  readonly sql: RawBuilder<unknown>;
}

export const NO_ENDING: Ending = { name: '', sql: sql`` };

/**
 * Inserts rows with one statement. All have the columns of the first row. The statement for a single row is
 * compiled once.
 */
export async function insertRows<R>(
  db: QueryExecutorProvider,
  table: string,
  rows: readonly object[],
  ending = NO_ENDING,
): Promise<R[]> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column]));
  const build = (): RawBuilder<R> => sql<R>`insert into ${sql.table(table)}
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

/**
 * Runs a query with a filter. The query is cached if the filter consists of a few comparisons, see
 * `exactComparisons`.
 */
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

/** Connections by the executor of a handle that has only one. */
const connections = new WeakMap<QueryExecutor, DatabaseConnection>();

/**
 * Sends the compiled statements of a handle directly to its only connection: Kysely would acquire and release
 * the connection, which takes longer than SQLite needs for a row by its id.
 */
export function executeDirectly(executor: QueryExecutor, connection: DatabaseConnection): void {
  connections.set(executor, connection);
}

/** Runs a compiled statement of a handle. */
function execute<R>(executor: QueryExecutor, query: CompiledQuery): Promise<QueryResult<R>> {
  const connection = connections.get(executor);
  return (connection ?? executor).executeQuery<R>(query);
}

/** Called when the statement has ended, with its error if it failed. */
export type StatementEnd = (error?: unknown) => void;

/**
 * Called with the text of each statement before it runs, never with its values. May return a function that is
 * called after it.
 */
export type StatementListener = ((sql: string) => StatementEnd) | ((sql: string) => void);

/** The listeners of one database. */
export class StatementListeners {
  readonly #all = new Set<StatementListener>();

  /** Adds a listener, until the returned function is called. */
  add(listener: StatementListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /**
   * Calls all listeners. Returns the function to call when the statement has ended; undefined if there is
   * none.
   */
  notify(sql: string): StatementEnd | undefined {
    const ends: StatementEnd[] = [];
    for (const listener of this.#all) {
      const end = listener(sql);
      if (typeof end === 'function') ends.push(end);
    }
    return ends.length === 0 ? undefined : (error) => ends.forEach((end) => end(error));
  }
}
