import { PRESENCE_LIMITS } from '../../platform/presence.js';
/**
 * Class of a list request, from what the columns of its list declare: an index serves it, so that no more rows
 * are read than it shows, or it is a search (decisions.md#many-rows).
 */
import { countsOf, type CounterName } from '../totals.js';
import type { ReadWork } from '../work.js';
import { conjuncts, meant, type Condition, type FilterColumn, type MeaningAt } from './condition.js';
import { findsFew, orderOfChildren, type IndexedList } from './index-choice.js';
import type { Relation } from './scope.js';
import type { SliceRequest } from './slice.js';

/** A read that may read many rows, and show few of them or only their number. */
export interface Search {
  /** Counter of the company's rows in the table that is searched; a number if there is no counter. */
  readonly rows: CounterName | number;
  /** Whether another limit bounds the rows, so that a transaction may read them as well. */
  readonly isLimited?: true;
}

/** Rows of the tables that searches read at most, by the counters of the company. One statement at most. */
export async function searchedRows(work: ReadWork, searches: readonly Search[]): Promise<number> {
  const all = searches.map(({ rows }) => rows);
  const names = new Set(all.filter((rows) => typeof rows === 'string'));
  const totals = names.size === 0 ? undefined : await countsOf(work, [...names]);
  return all.reduce<number>(
    (sum, rows) => sum + (typeof rows === 'number' ? rows : (totals?.get(rows) ?? 0)),
    0,
  );
}

export interface SearchedList extends IndexedList {
  readonly rows: CounterName | number;
  readonly isEndless?: true;
}

/** A fixed time: the class depends on the form of a meaning, which is the same at all times. */
const AT_ANY_TIME: MeaningAt = { now: new Date(0), presence: PRESENCE_LIMITS };

const partsOf = ({ filters }: SearchedList, where: Condition | null): readonly Condition[] =>
  conjuncts(meant(filters, where, AT_ANY_TIME));

/** The search of a page of a company's list; null if an index serves it. */
export function searchOfSlice(list: SearchedList, request: SliceRequest): Search | null {
  const parts = partsOf(list, request.condition);
  return findsFew(list.filters, parts) || isInOrder(list, parts, request.order) ? null : { rows: list.rows };
}

/** The search of the number of records in a company's list; null if a counter has it. */
export function searchOfCount(list: SearchedList, where: Condition | null): Search | null {
  const isCounted = where === null && typeof list.rows === 'string';
  return isCounted || findsFew(list.filters, partsOf(list, where)) ? null : { rows: list.rows };
}

/** The search of the pages of many parents. Each child has one parent, so each row is read at most once. */
export function searchOfSlices(list: SearchedList, relation: Relation, request: SliceRequest): Search | null {
  const isIndexed = request.condition === null && orderOfChildren(list, relation) === request.order;
  return isIndexed ? null : { rows: rowsOf(list, relation) };
}

/**
 * The search of the numbers of children of many parents; null if few entries of an index are read: without a
 * filter, by a column, in a list that is not endless.
 */
export function searchOfCounts(
  list: SearchedList,
  relation: Relation,
  where: Condition | null,
): Search | null {
  const isIndexed = where === null && 'column' in relation && list.isEndless !== true;
  return isIndexed ? null : { rows: rowsOf(list, relation) };
}

const rowsOf = (list: SearchedList, relation: Relation): Search['rows'] =>
  'link' in relation ? relation.link : list.rows;

/**
 * Whether an index has the records that meet all parts, and no others, in an order: one value of one column,
 * an interval of the column of the order, or both.
 */
function isInOrder({ filters, orders }: SearchedList, parts: readonly Condition[], order: string): boolean {
  const ends = parts.map((part) => endsOf(filters, part, orders[order]));
  // The database uses only one of two bounds at the same end for its index, and skips rows by the other.
  if (new Set(ends.flat()).size < ends.flat().length) return false;
  const [only, ...others] = parts.filter((_part, index) => ends[index]?.length === 0);
  if (only === undefined) return true;
  const isValue = 'field' in only && only.operator === 'eq' && filters[only.field]?.order === order;
  return isValue && others.length === 0;
}

const ENDS: Readonly<Record<string, readonly string[]>> = {
  gte: ['first'],
  lt: ['last'],
  startsWith: ['first', 'last'],
};

/** Ends of an interval of a column that a comparison sets. */
function endsOf(
  filters: Readonly<Record<string, FilterColumn>>,
  part: Condition,
  column: string | undefined,
): readonly string[] {
  if (!('field' in part) || filters[part.field]?.column !== column) return [];
  return ENDS[part.operator] ?? [];
}
