import { sql, type RawBuilder } from 'kysely';

import { runCached } from '../statements/cached-query.js';
import { inList } from '../bound-lists.js';
import { crossJoin } from '../storage.js';
import type { ReadWork } from '../work.js';

/** Tables whose triggers maintain the number of rows of each company in `counters`. */
export const COUNTED = [
  'groups',
  'logical_numbers',
  'devices',
  'apps',
  'files',
  'notifications',
  'transactions',
] as const;

/** Tables that are counted since the migration 0012. */
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

/** Tables that are counted since the migration that created them. */
export const COUNTED_SINCE_MADE = ['group_default_versions', 'unknown_terminals'] as const;

/** `users` counts memberships. */
export type CounterName =
  | (typeof COUNTED)[number]
  | (typeof COUNTED_LATER)[number]
  | (typeof COUNTED_SINCE_MADE)[number]
  | 'users';

/**
 * Conditions for rows `gone` of `removals`, by counter: they stand for deleted records whose rows still
 * count.
 */
const REMOVED: Partial<Record<CounterName, RawBuilder<unknown>>> = {
  groups: sql`where gone.group_id is not null and gone.app_version_id is null`,
  logical_numbers: sql`where gone.logical_number_id is not null`,
  app_versions: sql`where gone.app_version_id is not null and gone.group_id is null`,
  apps: sql`where gone.app_id is not null`,
  parameters: ownedBy('parameters'),
  metacontents: ownedBy('metacontents'),
};

function ownedBy(table: 'parameters' | 'metacontents'): RawBuilder<unknown> {
  return sql`${crossJoin} ${sql.table(table)} as t on t.company_id = gone.company_id
    and (t.group_id = gone.group_id or t.logical_number_id = gone.logical_number_id)
    where gone.app_version_id is null`;
}

/** Number of records of the caller's company, from a counter that triggers keep exact. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  const { companyId } = work.caller;
  const removed = REMOVED[name];
  const parameters = [companyId, name, ...(removed === undefined ? [] : [companyId])];
  const rows = await runCached<{ total: number }>(work.db, `count of ${name}`, parameters, () => {
    const counted = sql`select total from counters where company_id = ${companyId} and name = ${name}`;
    return removed === undefined
      ? counted
      : sql`select coalesce((${counted}), 0)
          - (select count(*) from removals as gone ${removed} and gone.company_id = ${companyId}) as total`;
  });
  return rows[0]?.total ?? 0;
}

/** Counters of several tables, in one statement. Rows of deleted records count until they are removed. */
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
