/** Indexes that the planner of SQLite may use for a list; PostgreSQL chooses by statistics. */
import { sql, type RawBuilder } from 'kysely';

import { unindexed } from '../storage.js';
import { condition, conjuncts, type Comparison, type Condition, type FilterColumn } from './condition.js';
import type { ListTable, Relation } from './scope.js';
import type { SliceRequest } from './slice.js';

type Filters = Readonly<Record<string, FilterColumn>>;

export interface IndexedList extends ListTable {
  readonly filters: Filters;
  readonly orders: Readonly<Record<string, string>>;
}

type Ref = (name: string) => RawBuilder<unknown>;

const indexedRef: Ref = (name) => sql.ref(name);
export const unindexedRef: Ref = (name) => unindexed(sql.ref(name));

/**
 * Whether values of a unique column find at most one record each. With `in` and other comparisons, SQLite may
 * prefer an index that has the columns of the others.
 */
export const findsFew = (filters: Filters, parts: readonly Condition[]): boolean =>
  parts.some(
    (part) =>
      isExact(part) &&
      filters[part.field]?.isUnique === true &&
      (part.operator === 'eq' || parts.length === 1),
  );

const isExact = (part: Condition): part is Comparison =>
  'field' in part && (part.operator === 'eq' || part.operator === 'in');

/** The comparison whose index, and no other, is used to read a list; undefined if there is none. */
export function narrowing(filters: Filters, where: Condition | null): Comparison | undefined {
  const exact = conjuncts(where)
    .filter(isExact)
    .toSorted((one, other) => Number(one.operator === 'in') - Number(other.operator === 'in'));
  return (
    exact.find(({ field }) => filters[field]?.isUnique === true) ??
    exact.find(({ field }) => filters[field]?.narrows === true)
  );
}

/** Order in which the index of a relation has the children of one parent; undefined if it has no order. */
export function orderOfChildren(
  { filters, orders, id }: IndexedList,
  relation: Relation,
): string | undefined {
  if ('link' in relation) return Object.keys(orders).find((order) => orders[order] === id);
  return Object.values(filters).find(({ column }) => column === relation.column)?.order;
}

/** `and …` with the condition; empty without one. */
export function alsoMeets(
  list: IndexedList,
  where: Condition | null,
  relation?: Relation,
): RawBuilder<unknown> {
  if (where === null) return sql``;
  const { filters, orders } = list;
  const narrow = relation === undefined ? narrowing(filters, where) : undefined;
  if (narrow !== undefined) {
    // The index may also have the column of the order.
    const { column, order = '' } = filters[narrow.field] ?? {};
    const isOfIndex = (name: string): boolean => name === column || name === orders[order];
    return sql`and ${withoutAlternatives(filters, where, isOfIndex)}`;
  }
  const isIndexed = (column: string): boolean => mayIndex(list, column, relation);
  const narrows = conjuncts(where).some((part) => 'field' in part && filters[part.field]?.narrows === true);
  return sql`and ${(narrows ? withoutAlternatives : condition)(filters, where, isIndexed)}`;
}

/** The condition without indexes for its alternatives: the planner might prefer them to a better index. */
export function withoutAlternatives(
  filters: Filters,
  where: Condition,
  isIndexed: (column: string) => boolean = () => true,
): RawBuilder<unknown> {
  const parts = conjuncts(where).map((part) =>
    condition(filters, part, 'field' in part ? isIndexed : () => false),
  );
  return parts.length === 0 ? sql`1 = 1` : sql.join(parts, sql` and `);
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
