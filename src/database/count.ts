import { CompanyRows } from './company/company-rows.js';
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

const counters = new CompanyRows('counters');

/** Number of records of the caller's company. Triggers keep it exact with each change. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  return (await counters.find(work, { name }))?.total ?? 0;
}
