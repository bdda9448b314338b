import { sql, type RawBuilder } from 'kysely';

import type { Tables } from '../../schema/schema.js';
import { idTable, nameTable } from '../bound-lists.js';
import { crossJoin, hiddenFromPlanner } from '../storage.js';
import type { CounterName } from '../totals.js';
import type { ReadWork } from '../work.js';
import { tableWith } from './companions.js';
import { hasAlternatives, type Condition } from './condition.js';
import type { KeyValue } from './slice.js';

/**
 * How the children of a parent are found: by a column with the id (or name) of the parent, or by a table of
 * links.
 */
export type Relation =
  | { readonly column: string; readonly isName?: true }
  | { readonly link: LinkTable; readonly parent: string; readonly child: string };

export type LinkRelation = Extract<Relation, { readonly link: string }>;
export type RelationByName = Extract<Relation, { readonly column: string }> & { readonly isName: true };
export type RelationById = Relation & { readonly isName?: never };

type LinkTable = CounterName & `${string}_${'versions' | 'groups' | 'modules' | 'files'}` & keyof Tables;

/** The table of a list. `company` is the column with the id of the company, `company_id` unless set. */
export interface ListTable {
  readonly table: keyof Tables;
  readonly id: string;
  readonly company?: string;
}

/**
 * Condition for the rows `t` of the caller's company. If `where` has alternatives, SQLite finds each by its
 * own index; the company is then bound without `hiddenFromPlanner`, since SQLite would not use it for these
 * indexes otherwise.
 */
export function ofCompany(
  list: ListTable,
  { caller }: ReadWork,
  where: Condition | null,
): RawBuilder<unknown> {
  const company = sql.ref(`t.${list.company ?? 'company_id'}`);
  return sql`${company} = ${boundCompany(caller.companyId, where)}`;
}

/** The company of rows that meet a condition, to be compared with a column (see `ofCompany`). */
export function boundCompany(companyId: number, where: Condition | null): RawBuilder<number> {
  return hasAlternatives(where) ? sql<number>`${companyId}` : hiddenFromPlanner(companyId);
}

/** The parents as a table `p` with the column `value`. */
export function parentTable(relation: Relation, parents: readonly KeyValue[]): RawBuilder<unknown> {
  return 'column' in relation && relation.isName === true ? nameTable(parents) : idTable(parents);
}

/**
 * FROM and WHERE for the children `t` of the parent `p.value`. The caller adds `ofCompany` and other
 * conditions, whose columns are `used`. SQLite finds the children first: otherwise it would read the whole
 * companion for each parent.
 */
export function childrenOf(
  { table, id }: ListTable,
  relation: Relation,
  work: ReadWork,
  used: readonly string[] = [],
): RawBuilder<unknown> {
  if ('column' in relation) {
    return sql`${tableWith(table, [relation.column, ...used], { join: crossJoin })} as t where ${sql.ref(`t.${relation.column}`)} = p.value`;
  }
  // CROSS JOIN fixes the join order: a parent has fewer links than the company has records.
  return sql`${sql.table(relation.link)} as l cross join ${tableWith(table, used)} as t
    where l.company_id = ${hiddenFromPlanner(work.caller.companyId)} and ${sql.ref(`l.${relation.parent}`)} = p.value
      and ${sql.ref(`t.${id}`)} = ${sql.ref(`l.${relation.child}`)}`;
}

/** Name of a relation, unique in its list. */
export const nameOf = (relation: Relation): string =>
  'link' in relation ? `${relation.link} ${relation.parent}` : relation.column;

/**
 * Values that `childrenOf` and `ofCompany` bind: the company of the links, if there are any, and of the
 * records.
 */
export function companiesOf({ caller: { companyId } }: ReadWork, relation?: Relation): readonly number[] {
  return relation !== undefined && 'link' in relation ? [companyId, companyId] : [companyId];
}
