import { CompanyRows } from './company/company-rows.js';
import type { ReadWork } from './work.js';

/** Tables whose triggers keep the number of rows of each company in `counters`. */
export const COUNTED = [
  'groups',
  'logical_numbers',
  'devices',
  'apps',
  'files',
  'notifications',
  'transactions',
] as const;

/** Tables that are counted since the migration 0009. */
export const COUNTED_LATER = [
  'app_versions',
  'parameters',
  'metacontents',
  'access_tokens',
  'ledger',
  'app_version_groups',
  'app_version_modules',
  'app_version_files',
  'logical_number_app_versions',
] as const;

/** `users` counts memberships. */
export type CounterName = (typeof COUNTED)[number] | (typeof COUNTED_LATER)[number] | 'users';

const counters = new CompanyRows('counters');

/** Number of records of the caller's company. Triggers keep it exact with each change. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  return (await counters.find(work, { name }))?.total ?? 0;
}

/** The same for several counters, in one statement. */
export async function countsOf(
  work: ReadWork,
  names: readonly CounterName[],
): Promise<ReadonlyMap<CounterName, number>> {
  const rows = await counters.select(work, { name: names });
  const totals = new Map(rows.map(({ name, total }) => [name, total]));
  return new Map(names.map((name) => [name, totals.get(name) ?? 0]));
}
