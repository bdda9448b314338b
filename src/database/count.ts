import type { ReadWork } from './work.js';

type Counted =
  'groups' | 'logical_numbers' | 'devices' | 'apps' | 'files' | 'notifications' | 'transactions' | 'users';

/** Number of records of the caller's company, kept by the database with each change. */
export async function countOf(work: ReadWork, name: Counted): Promise<number> {
  const row = await work.db
    .selectFrom('counters')
    .select('total')
    .where('company_id', '=', work.caller.companyId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.total ?? 0;
}
