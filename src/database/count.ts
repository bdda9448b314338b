import { sql, type RawBuilder } from 'kysely';

import { runCached } from './company/cached-query.js';
import type { ReadWork } from './work.js';

export type CounterName =
  | 'groups'
  | 'logical_numbers'
  | 'devices'
  | 'apps'
  | 'files'
  | 'notifications'
  | 'transactions'
  | 'users';

/** Columns of `removals` with the deleted records of these names that are still stored. */
const REMOVED: Partial<Record<CounterName, RawBuilder<unknown>>> = {
  groups: sql`group_id is not null and app_version_id is null`,
  logical_numbers: sql`logical_number_id is not null`,
  apps: sql`app_id is not null`,
};

/** Number of records of the caller's company. Triggers keep it exact with each change. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  const { companyId } = work.caller;
  const removed = REMOVED[name];
  const parameters = [companyId, name, ...(removed === undefined ? [] : [companyId])];
  const rows = await runCached<{ total: number }>(work.db, `count of ${name}`, parameters, () => {
    const counted = sql`select total from counters where company_id = ${companyId} and name = ${name}`;
    return removed === undefined
      ? counted
      : sql`select coalesce((${counted}), 0)
          - (select count(*) from removals where company_id = ${companyId} and ${removed}) as total`;
  });
  return rows[0]?.total ?? 0;
}
