/** Class of a list request from what its columns declare: an index serves it, or it searches (decisions.md#many-rows). */
import { sql } from 'kysely';

import { ANY_MOMENT } from '../../platform/terminal.js';
import type { CounterName } from '../../schema/schema.js';
import { countsOf } from '../counters.js';
import { unindexed, type Sql } from '../storage.js';
import type { ReadWork } from '../work.js';
import { condition, conjuncts, meant } from './condition.js';
import type { Comparison, Condition, Filters } from './condition.js';
import type { ListTable, Relation, SliceRequest } from './listing.js';

/** A read that may read many rows, and show few of them or only their number. */
export interface Search {
  /** Counter of the company's rows in the table that is searched; a number if there is no counter. */
  readonly rows: CounterName | number;
  /** True if another limit bounds the rows, so that a transaction may read them as well. */
  readonly isLimited?: true;
}

/** Rows of the tables that searches read at most, by the counters of the company. One statement at most. */
export async function searchedRows(work: ReadWork, searches: readonly Search[]): Promise<number> {
  const all = searches.map(({ rows }) => rows);
  const names = new Set(all.filter((rows) => typeof rows === 'string'));
  const totals = names.size === 0 ? undefined : await countsOf(work, [...names]);
  const numbers = all.map((rows) => (typeof rows === 'number' ? rows : (totals?.get(rows) ?? 0)));
  return numbers.reduce((sum, rows) => sum + rows, 0);
}

/** True if an index finds the records that meet a condition: few of them, or in an order if one is given. */
export function isServed(list: ListTable, where: Condition | null, order?: string): boolean {
  // The class depends on the form of a meaning, which is the same at all times.
  const parts = conjuncts(meant(list.filters, where, ANY_MOMENT));
  return findsFew(list.filters, parts) || (order !== undefined && isInOrder(list, parts, order));
}

/** True if an index has just these records in an order: one value of one column, an interval of the order, or both. */
function isInOrder({ filters, orders }: ListTable, parts: readonly Condition[], order: string): boolean {
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
function endsOf(filters: Filters, part: Condition, column: string | undefined): readonly string[] {
  if (!('field' in part) || filters[part.field]?.column !== column) return [];
  return ENDS[part.operator] ?? [];
}

type Ref = (name: string) => Sql;

export const indexedRef: Ref = (name) => sql.ref(name);
export const unindexedRef: Ref = (name) => unindexed(sql.ref(name));

/** True if values of a unique column find few records. With `in` and others, SQLite may prefer another index. */
const findsFew = (filters: Filters, parts: readonly Condition[]): boolean =>
  parts.some((part) => {
    const isUnique = isExact(part) && filters[part.field]?.isUnique === true;
    return isUnique && (part.operator === 'eq' || parts.length === 1);
  });

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
export function orderOfChildren({ filters, orders, id }: ListTable, relation: Relation): string | undefined {
  if ('link' in relation) return Object.keys(orders).find((order) => orders[order] === id);
  if (relation.also !== undefined) return relation.also.order;
  return Object.values(filters).find(({ column, order }) => column === relation.column && order !== undefined)
    ?.order;
}

/** `and …` with the condition; empty without one. Only an index in the order `walked`, if given, serves it. */
export function alsoMeets(
  list: ListTable,
  where: Condition | null,
  relation?: Relation,
  walked?: string,
): Sql {
  if (where === null) return sql``;
  const { filters, orders } = list;
  const narrow = relation === undefined ? narrowing(filters, where) : undefined;
  if (narrow !== undefined) {
    // The index may also have the column of the order.
    const { column, order = '' } = filters[narrow.field] ?? {};
    const isOfIndex = (name: string): boolean => name === column || name === orders[order];
    return sql`and ${withoutAlternatives(filters, where, isOfIndex)}`;
  }
  if (walked !== undefined) {
    const equal = conjuncts(where).filter(
      (part) => 'field' in part && part.operator === 'eq',
    ) as Comparison[];
    const columns = equal
      .flatMap(({ field }) => filters[field] ?? [])
      .filter(({ order }) => order === walked);
    const inOrder = new Set([orders[walked], ...columns.map(({ column }) => column)]);
    return sql`and ${withoutAlternatives(filters, where, (column) => inOrder.has(column))}`;
  }
  // SQLite would read all records of the company for each parent by another index than that of their relation.
  const ofRelation = relation && orders[orderOfChildren(list, relation) ?? ''];
  const isIndexed = (column: string): boolean =>
    relation === undefined || (column !== list.id && column === ofRelation);
  const narrows = conjuncts(where).some((part) => 'field' in part && filters[part.field]?.narrows === true);
  return sql`and ${(narrows ? withoutAlternatives : condition)(filters, where, isIndexed)}`;
}

/** The condition without indexes for its alternatives: the planner might prefer them to a better index. */
export function withoutAlternatives(
  filters: Filters,
  where: Condition,
  isIndexed: (column: string) => boolean = () => true,
): Sql {
  const parts = conjuncts(where).map((part) =>
    condition(filters, part, 'field' in part ? isIndexed : () => false),
  );
  return parts.length === 0 ? sql`1 = 1` : sql.join(parts, sql` and `);
}

export function isOrderIndexed(
  list: ListTable,
  { order, condition: where }: SliceRequest,
  relation?: Relation,
): boolean {
  if (relation === undefined) {
    const narrow = narrowing(list.filters, where);
    return narrow === undefined || list.filters[narrow.field]?.order === order;
  }
  return orderOfChildren(list, relation) === order;
}

/** SQL for the number of entries that the records with these ids have, up to `max`. */
export type EntryCount = (work: ReadWork, max: number, ids: readonly number[]) => Sql<number>;

/** Number of rows that a statement finds, up to `max`; no more are read. */
export function countUpTo(max: number, rows: Sql): Sql<number> {
  return sql<number>`(select count(*) from (select 1 ${rows} limit ${max}) as found)`;
}

/** The sum of several counts, each up to `max`. One statement. */
export async function countEntries(
  work: ReadWork,
  counts: readonly EntryCount[],
  max: number,
  ids: readonly number[],
): Promise<number> {
  const numbers = counts.map((count) => count(work, max, ids));
  const { rows } = await sql<{ total: number }>`select ${sql.join(numbers, sql` + `)} as total`.execute(
    work.db,
  );
  return rows[0]?.total ?? 0;
}
