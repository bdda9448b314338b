/** What the statements of a list examine at most: the rows that an index leaves, times what is compared in each. */
import { comparisonsIn, type Comparison, type Condition, type FilterColumn } from '../condition.js';
import type { ListTable, Relation } from '../scope.js';
import type { SliceRequest } from '../slice.js';

/** The filter columns of a list, and the columns of its orders, by public name. */
interface Columns {
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly orders: Readonly<Record<string, string>>;
}

/**
 * Whether an index has the records of a page in its order, so that no others are read: without a filter, or with one
 * value of one field besides an interval of the order's column. Also for the one record that a unique value finds.
 */
export function isPageInOrder({ filters, orders }: Columns, request: SliceRequest): boolean {
  const parts = conjuncts(request.condition);
  if (findsOne(filters, parts)) return true;
  const bounds = parts.filter((part) => isBound(filters, part, orders[request.order]));
  const [only, ...others] = parts.filter((part) => !bounds.includes(part));
  // Of two bounds at the same end the database uses one for its index, and skips rows by the other.
  if (loosest(bounds.filter((part) => 'field' in part)).length < bounds.length) return false;
  const inOrder = only === undefined || (isEqual(only) && filters[only.field]?.order === request.order);
  return inOrder && others.length === 0;
}

/** Whether the database counts these records already, or a unique value finds one. */
export function isCountKnown(filters: Columns['filters'], where: Condition | null): boolean {
  return where === null || findsOne(filters, conjuncts(where));
}

/** The order in which the index of a relation has the children of one parent. */
export function orderOfChildren(
  { filters, orders, id }: Columns & ListTable,
  relation: Relation,
): string | undefined {
  if ('link' in relation) return Object.keys(orders).find((order) => orders[order] === id);
  return Object.values(filters).find(({ column }) => column === relation.column)?.order;
}

/**
 * The comparisons on one field by whose index rows can be counted; null where there are none. `ordered` is the column of
 * a page's order: a page in another order is not read by the index of an interval.
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

/** Of several bounds at the same end of a column, the database uses one for its index, maybe the widest. */
function loosest(bounds: readonly Comparison[]): readonly Comparison[] {
  const isLooser = (one: Comparison, other: Comparison): boolean =>
    one.operator === 'lt' ? Number(one.value) > Number(other.value) : Number(one.value) < Number(other.value);
  const byEnd = Map.groupBy(bounds, ({ field, operator }) => `${field} ${operator}`);
  return [...byEnd.values()].map((ends) => ends.reduce((found, end) => (isLooser(end, found) ? end : found)));
}

/** Whether the price counts fewer rows than all, by a unique value or by an index. */
export const isBounded = (filters: Columns['filters'], where: Condition): boolean =>
  findsOne(filters, conjuncts(where)) || countable(filters, where) !== null;

export const comparisonsOf = (where: Condition | null): number => (where === null ? 0 : comparisonsIn(where));

/** The comparison by whose index a list is read, and no other; undefined where there is none. */
export function narrowing(filters: Columns['filters'], where: Condition | null): Comparison | undefined {
  const parts = conjuncts(where).filter((part) => 'field' in part);
  // The index of a unique value is better than all others.
  if (findsOne(filters, parts)) return undefined;
  const narrow = parts.filter(({ field }) => filters[field]?.narrows === true);
  return narrow.find(isEqual) ?? narrow.find(({ operator }) => operator === 'in');
}

/** The conditions that must all hold. */
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

/** Whether a comparison is an end of an interval in the column that the page is ordered by. */
function isBound(filters: Columns['filters'], part: Condition, column: string | undefined): boolean {
  return 'field' in part && ['gte', 'lt'].includes(part.operator) && filters[part.field]?.column === column;
}
