/** Counters of the tables of each company: numbers of rows, which triggers keep exact, and the last drawn ids. */
import { sql, type QueryExecutorProvider } from 'kysely';
import { randomInt } from 'node:crypto';

import { yieldToEventLoop } from '../platform/clock.js';
import { COUNTED, TABLES, type CounterName, type Row } from '../schema/schema.js';
import { inList } from './bound-lists.js';
import type { Database } from './database.js';
import { runCached, type Ending } from './statements.js';
import { indexedBy, portable, type Sql } from './storage.js';
import type { ReadWork } from './work.js';

async function counterOf(db: QueryExecutorProvider, companyId: number, name: string) {
  const rows = await runCached<Row<'counters'>>(
    db,
    'counter',
    [companyId, name],
    () => sql`select total, last_drawn from counters where company_id = ${companyId} and name = ${name}`,
  );
  return rows[0];
}

/** Number of records of the caller's company, from a counter that triggers keep exact. */
export async function countOf({ db, caller }: ReadWork, name: CounterName): Promise<number> {
  return (await counterOf(db, caller.companyId, name))?.total ?? 0;
}

/** The last id drawn for a company in a table, even if its record was deleted; 0 if none was drawn. */
export async function lastDrawn(db: QueryExecutorProvider, companyId: number, table: string) {
  return (await counterOf(db, companyId, table))?.last_drawn ?? 0;
}

/** Counters of several tables, in one statement. */
export async function countsOf(work: ReadWork, names: readonly CounterName[]) {
  const { companyId } = work.caller;
  const rows = await runCached<{ name: CounterName; total: number }>(
    work.db,
    'counts',
    [companyId, JSON.stringify(names)],
    () => sql`select ${sql.ref('name')}, ${sql.ref('total')} from ${sql.table('counters')}
      where company_id = ${companyId} and ${sql.ref('name')} ${inList('text', names)}`,
  );
  const totals = new Map(rows.map(({ name, total }) => [name, total]));
  return new Map(names.map((name) => [name, totals.get(name) ?? 0]));
}

/** Sums of counters over all companies. Reads about 20 rows for each company, and no records. */
export async function fleetTotals(database: Pick<Database, 'snapshot'>, names: readonly CounterName[]) {
  const totals = new Map(names.map((name) => [name, 0]));
  const counters = sql`company_id, name as key, total from counters where`;
  for await (const { key, total } of rowsInParts(database, counters, { column: 'name', first: '' })) {
    const name = key as CounterName;
    const known = totals.get(name);
    if (known !== undefined) totals.set(name, known + total);
  }
  return totals;
}

/** Number of queued deliveries of all companies. Reads a row for each notification with waiting deliveries. */
export async function queuedDeliveries(database: Pick<Database, 'snapshot'>): Promise<number> {
  const waiting = sql`company_id, notification_id as key, queued as total
    from ${indexedBy('notification_totals', 't', 'notification_totals_waiting')} where queued + sent > 0 and`;
  let queued = 0;
  const rows = rowsInParts(database, waiting, { column: 'notification_id', first: 0 });
  for await (const { total } of rows) queued += total;
  return queued;
}

/** Rows that one statement reads; more would hold the event loop for too long. */
const ROWS = 2_000;

type KeyedRow = Readonly<Record<'company_id' | 'total', number> & Record<'key', string | number>>;

/** Rows of all companies in the order of their keys: the company, and `column`, which is greater than `first`. */
async function* rowsInParts(
  database: Pick<Database, 'snapshot'>,
  selected: Sql,
  { column, first }: { readonly column: string; readonly first: string | number },
): AsyncIterable<KeyedRow> {
  let last: Pick<KeyedRow, 'company_id' | 'key'> | undefined = { company_id: -1, key: first };
  while (last !== undefined) {
    const { company_id: companyId, key } = last;
    const query: Sql<KeyedRow> = sql`select ${selected} (company_id, ${sql.ref(column)}) > (${companyId}, ${key})
      order by company_id, ${sql.ref(column)} limit ${ROWS}`;
    const { rows } = await database.snapshot(null, (db) => query.execute(db));
    yield* rows;
    last = rows.length < ROWS ? undefined : rows.at(-1);
    if (last !== undefined) await yieldToEventLoop();
  }
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

/** GraphQL's Int has 32 bits with a sign. */
const MAX_ID = 2 ** 31;

/** A random id that no row has, from 1 to 2^31-1: it reveals no count. The caller holds the write lock. */
export async function randomId(
  db: QueryExecutorProvider,
  table: 'companies' | 'users' | 'sessions',
): Promise<number> {
  for (;;) {
    const id = randomInt(1, MAX_ID);
    const { rows } = await sql`select id from ${sql.table(table)} where id = ${id}`.execute(db);
    if (rows.length === 0) return id;
  }
}
