import { sql, type QueryExecutorProvider } from 'kysely';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Database } from '../database.js';
import type { CounterName } from './count.js';

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
