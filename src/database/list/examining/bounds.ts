/**
 * Upper bounds of what the statements of a list examine: the rows that an index leaves, times the values
 * compared in each.
 */
import { comparisonsIn, type Comparison, type Condition, type FilterColumn } from '../condition.js';
import type { ListTable, Relation } from '../scope.js';
import type { SliceRequest } from '../slice.js';

/** The filter columns of a list, and the columns of its orders, by public name. */
interface Columns {
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly orders: Readonly<Record<string, string>>;
}

/**
 * Whether an index has the records of a page in its order, so that no others are read. True without a filter
 * or with one value of one field, apart from an interval of the order's column; also if a unique value finds
 * the record.
 */
export function isPageInOrder({ filters, orders }: Columns, request: SliceRequest): boolean {
  const parts = conjuncts(request.condition);
  if (findsOne(filters, parts)) return true;
  const bounds = parts.filter((part) => isBound(filters, part, orders[request.order]));
  const [only, ...others] = parts.filter((part) => !bounds.includes(part));
  // The database uses only one of two bounds at the same end for its index, and skips rows by the other.
  if (loosest(bounds.filter((part) => 'field' in part)).length < bounds.length) return false;
  const inOrder = only === undefined || (isEqual(only) && filters[only.field]?.order === request.order);
  return inOrder && others.length === 0;
}

/**
 * Whether the number of records is known without reading rows: from a counter, or because a unique value
 * finds one record.
 */
export function isCountKnown(filters: Columns['filters'], where: Condition | null): boolean {
  return where === null || findsOne(filters, conjuncts(where));
}

/** Order in which the index of a relation has the children of one parent; undefined if it has no order. */
export function orderOfChildren(
  { filters, orders, id }: Columns & ListTable,
  relation: Relation,
): string | undefined {
  if ('link' in relation) return Object.keys(orders).find((order) => orders[order] === id);
  return Object.values(filters).find(({ column }) => column === relation.column)?.order;
}

/**
 * Comparisons on one field by whose index rows can be counted; null if there are none. `ordered` is the
 * column of a page's order: the index of an interval is used only in this order.
 */
export function countable(
  filters: Columns['filters'],
  where: Condition | null,
  ordered?: string,
): Condition | null {
  const found = narrowing(filters, where);
  if (found !== undefined) return found;
  const parts = conjuncts(where).filter((part) => 'field' in part && filters[part.field]?.narrows === true);
  const bounds = parts.filter(
    (part) => 'field' in part && isBound(filters, part, ordered ?? filters[part.field]?.column),
  );
  return bounds.length === 0 ? null : { and: loosest(bounds.filter((part) => 'field' in part)) };
}

/**
 * The loosest bound at each end of a column: of several, the database uses one for its index, maybe the
 * loosest.
 */
function loosest(bounds: readonly Comparison[]): readonly Comparison[] {
  const isLooser = (one: Comparison, other: Comparison): boolean =>
    one.operator === 'lt' ? Number(one.value) > Number(other.value) : Number(one.value) < Number(other.value);
  const byEnd = Map.groupBy(bounds, ({ field, operator }) => `${field} ${operator}`);
  return [...byEnd.values()].map((ends) => ends.reduce((found, end) => (isLooser(end, found) ? end : found)));
}

/** Whether a unique value or an index lets the cost estimate count fewer rows than all. */
export const isBounded = (filters: Columns['filters'], where: Condition): boolean =>
  findsOne(filters, conjuncts(where)) || countable(filters, where) !== null;

export const comparisonsOf = (where: Condition | null): number => (where === null ? 0 : comparisonsIn(where));

/** The comparison whose index, and no other, is used to read a list; undefined if there is none. */
export function narrowing(filters: Columns['filters'], where: Condition | null): Comparison | undefined {
  const parts = conjuncts(where).filter((part) => 'field' in part);
  // The index of a unique value is better than any other.
  if (findsOne(filters, parts)) return undefined;
  const narrow = parts.filter(({ field }) => filters[field]?.narrows === true);
  return narrow.find(isEqual) ?? narrow.find(({ operator }) => operator === 'in');
}

/** Conditions that must all hold. */
export function conjuncts(where: Condition | null): readonly Condition[] {
  if (where === null) return [];
  return 'and' in where ? where.and.flatMap(conjuncts) : [where];
}

function isEqual(part: Condition): part is Comparison {
  return 'field' in part && part.operator === 'eq';
}

function findsOne(filters: Columns['filters'], parts: readonly Condition[]): boolean {
  return parts.some((part) => isEqual(part) && filters[part.field]?.isUnique === true);
}

/** Whether a comparison is one end of an interval of `column`. */
function isBound(filters: Columns['filters'], part: Condition, column: string | undefined): boolean {
  return 'field' in part && ['gte', 'lt'].includes(part.operator) && filters[part.field]?.column === column;
}
