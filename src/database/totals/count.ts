import { sql } from 'kysely';

import type { COUNTED } from '../../schema/schema.js';
import { inList } from '../bound-lists.js';
import { runCached } from '../statements/cached-query.js';
import type { ReadWork } from '../work.js';

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
