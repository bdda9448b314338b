import { sql, type QueryExecutorProvider } from 'kysely';

import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { COUNTED } from '../schema/schema.js';
import { inList } from './bound-lists.js';
import type { Database } from './database.js';
import { runCached } from './statements.js';
import type { ReadWork } from './work.js';

/** Counters that describe a database. */
export const RECORDS = [
  'groups',
  'logical_numbers',
  'devices',
  'apps',
  'files',
  'notifications',
  'transactions',
] as const satisfies readonly CounterName[];

/** Name of a counter; `users` counts memberships. */
export type CounterName = Exclude<(typeof COUNTED)[number], 'memberships'> | 'users';

/** Number of records of the caller's company, from a counter that triggers keep exact. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  const { companyId } = work.caller;
  const rows = await runCached<{ total: number }>(
    work.db,
    'count',
    [companyId, name],
    () => sql`select total from counters where company_id = ${companyId} and name = ${name}`,
  );
  return rows[0]?.total ?? 0;
}

/** Counters of several tables, in one statement. */
export async function countsOf(
  work: ReadWork,
  names: readonly CounterName[],
): Promise<ReadonlyMap<CounterName, number>> {
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

/** Counter of rows of a table, or of queued deliveries. */
export type FleetCounter = CounterName | 'queued_deliveries';

/** Rows of `counters` that one statement reads; more would hold the event loop for too long. */
const ROWS = 2_000;

interface CounterRow {
  readonly company_id: number;
  readonly name: string;
  readonly total: number;
}

/** Sums of counters over all companies. Reads about 20 rows for each company, and no records. */
export async function fleetTotals(
  database: Pick<Database, 'snapshot'>,
  names: readonly FleetCounter[],
): Promise<ReadonlyMap<FleetCounter, number>> {
  const totals = new Map(names.map((name) => [name, 0]));
  let last: CounterRow | undefined;
  do {
    const rows = await database.snapshot(null, (db) => countersAfter(db, last));
    for (const { name, total } of rows) {
      const known = totals.get(name as FleetCounter);
      if (known !== undefined) totals.set(name as FleetCounter, known + total);
    }
    last = rows.length < ROWS ? undefined : rows.at(-1);
    if (last !== undefined) await yieldToEventLoop();
  } while (last !== undefined);
  return totals;
}

async function countersAfter(
  db: QueryExecutorProvider,
  { company_id: companyId, name }: Pick<CounterRow, 'company_id' | 'name'> = { company_id: -1, name: '' },
): Promise<readonly CounterRow[]> {
  const { rows } = await sql<CounterRow>`select company_id, name, total from counters
    where (company_id, name) > (${companyId}, ${name}) order by company_id, name limit ${ROWS}`.execute(db);
  return rows;
}

/**
 * SQL for both databases: the time of the oldest row of each kind that retention deletes, over all companies.
 */
export const OLDEST_ROWS = {
  transactions: `select min(oldest) as at from (select (select t.recorded_at from transactions as t
    where t.company_id = c.id order by t.id limit 1) as oldest from companies as c) as found`,
  ledger: `select min(oldest) as at from (select (select l.at from ledger as l
    where l.company_id = c.id order by l.sequence limit 1) as oldest from companies as c) as found`,
  deliveries: `select min(oldest) as at from (select (select min(d.finished_at) from notification_deliveries as d
    where d.company_id = c.id and d.state in ('delivered', 'failed', 'expired', 'cancelled')) as oldest
    from companies as c) as found`,
} as const;

/** Time of the oldest row by kind; null if there is no such row. */
export type Oldest = Readonly<Record<string, Date | null>>;
