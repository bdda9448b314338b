/** Counters of the tables of each company: numbers of rows, which triggers keep exact, and the last drawn ids. */
import { sql, type QueryExecutorProvider } from 'kysely';
import { randomInt } from 'node:crypto';

import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { CounterName, Row } from '../schema/schema.js';
import type { Database } from './database.js';
import { runCached } from './statements.js';
import { inList, indexedBy, type Sql } from './storage.js';
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

/** GraphQL's Int has 32 bits with a sign. */
const MAX_ID = 2 ** 31;

/** A random id that no row has, from 1 to 2^31-1: it reveals no count. The caller holds the write lock. */
export async function randomId(
  db: QueryExecutorProvider,
  table: 'companies' | 'users' | 'sessions' | 'passkeys',
): Promise<number> {
  for (;;) {
    const id = randomInt(1, MAX_ID);
    const { rows } = await sql`select id from ${sql.table(table)} where id = ${id}`.execute(db);
    if (rows.length === 0) return id;
  }
}
