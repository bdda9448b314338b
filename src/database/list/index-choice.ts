/** Indexes that the planner may use for a list: those by which the cost estimate has counted the rows. */
import { sql, type RawBuilder } from 'kysely';

import { unindexed } from '../storage.js';
import { condition, type Comparison, type Condition, type FilterColumn } from './condition.js';
import { conjuncts, isBounded, narrowing, orderOfChildren } from './examining/bounds.js';
import type { ListTable, Relation } from './scope.js';
import type { SliceRequest } from './slice.js';

interface IndexedList extends ListTable {
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly orders: Readonly<Record<string, string>>;
}

type Ref = (name: string) => RawBuilder<unknown>;

const indexedRef: Ref = (name) => sql.ref(name);
export const unindexedRef: Ref = (name) => unindexed(sql.ref(name));

/** `and …` with the condition; empty without one. */
export function alsoMeets(
  list: IndexedList,
  where: Condition | null,
  relation?: Relation,
): RawBuilder<unknown> {
  if (where === null) return sql``;
  const narrow = relation === undefined ? narrowing(list.filters, where) : undefined;
  if (narrow !== undefined) return alsoMeetsBy(list, narrow, where);
  const isIndexed = (column: string): boolean => mayIndex(list, column, relation);
  if (!isBounded(list.filters, where)) return sql`and ${condition(list.filters, where, isIndexed)}`;
  return sql`and ${withoutAlternatives(list.filters, where, isIndexed)}`;
}

/**
 * The condition without indexes for its alternatives: the planner might prefer them to the index of the
 * comparison whose rows the cost estimate has counted.
 */
export function withoutAlternatives(
  filters: Readonly<Record<string, FilterColumn>>,
  where: Condition,
  isIndexed: (column: string) => boolean = () => true,
): RawBuilder<unknown> {
  const parts = conjuncts(where).map((part) =>
    condition(filters, part, 'field' in part ? isIndexed : () => false),
  );
  return parts.length === 0 ? sql`1 = 1` : sql.join(parts, sql` and `);
}

/**
 * `and …` with only the index of one comparison, whose records the cost estimate has counted. The index may
 * also have the column of the order.
 */
function alsoMeetsBy(list: IndexedList, { field }: Comparison, where: Condition): RawBuilder<unknown> {
  const { column, order = '' } = list.filters[field] ?? {};
  const isIndexed = (name: string): boolean => name === column || name === list.orders[order];
  return sql`and ${withoutAlternatives(list.filters, where, isIndexed)}`;
}

/**
 * Whether the planner may use the index of a column. Children are found by their links, or by the index of
 * their relation, which may also have the column of their order. By another index, SQLite would read all
 * records of the company for each parent.
 */
function mayIndex(list: IndexedList, column: string, relation?: Relation): boolean {
  if (relation === undefined) return true;
  if ('link' in relation) return false;
  const order = orderOfChildren(list, relation);
  return column !== list.id && order !== undefined && list.orders[order] === column;
}

/** Names the columns in the ORDER BY of a page: so that an index is used, or so that none is. */
export function orderRef(list: IndexedList, request: SliceRequest, relation?: Relation): Ref {
  return isOrderIndexed(list, request, relation) ? indexedRef : unindexedRef;
}

function isOrderIndexed(
  list: IndexedList,
  { order, condition: where }: SliceRequest,
  relation?: Relation,
): boolean {
  if (relation === undefined) {
    const narrow = narrowing(list.filters, where);
    return narrow === undefined || list.filters[narrow.field]?.order === order;
  }
  if ('link' in relation) return list.orders[order] === list.id;
  return orderOfChildren(list, relation) === order;
}
