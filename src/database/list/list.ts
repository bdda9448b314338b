/**
 * Lists with keyset pagination: of a company, or of many parents in one statement. The key of a record is
 * `[sort value, id]`, for example `['SN-0042', 17]`; the id makes the order total.
 */
import { sql, type RawBuilder } from 'kysely';

import { arrivalsOf, type Arrivals } from './arrivals.js';
import {
  condition,
  withoutImplied,
  type Condition,
  type FilterColumn,
  type FilterKind,
} from './condition.js';
import { sharing } from './shared-records.js';
import { isDown, type KeyValue, type Slice, type SliceRequest } from './slice.js';
import { amongIds, instant, idTable } from '../storage.js';
import type { Row, Tables } from '../tables.js';
import type { ReadWork } from '../work.js';

/** The declaration of a list: its table, its orders and its filters. */
export interface Listing<Name extends keyof Tables, T> {
  /** Name of the record type, for example `LogicalNumber`. */
  readonly name: string;
  readonly table: Name;
  /** Column of the unique id. */
  readonly id: string & keyof Row<Name>;
  /** By public name, the columns to order by. Each has an index and is never null. */
  readonly orders: Readonly<Record<string, string & keyof Row<Name>>>;
  /** By public name, the columns to filter by. */
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly recordOf: (row: Row<Name>) => T;
  /** Records may hold long texts, so the bytes that one request reads of them are limited. */
  readonly isLarge?: true;
  /** How rows belong to a company; by default, by their column `company_id`. */
  readonly company?: CompanyScope;
}

/** A column with the id of the company, or a table that links ids of companies (`company_id`) with the rows' ids. */
export type CompanyScope =
  { readonly column: string } | { readonly link: keyof Tables; readonly child: string };

/** How children are found: by their column with the id or name of the parent, or by a table of links. */
export type Relation =
  | { readonly column: string }
  | { readonly link: keyof Tables; readonly parent: string; readonly child: string };

/** One page of a company's list. */
async function sliceOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  request: SliceRequest,
): Promise<Slice<T>> {
  const rows = await sql<Row<Name>>`select t.* from ${sql.table(listing.table)} as t
    where ${filtered(work, listing, request)} ${ordered(listing, request)} limit ${request.limit + 1}`.execute(
    work.db,
  );
  return sliceOfRows(rows.rows, listing, request);
}

/** One page of the list of each parent, in one statement. */
async function slicesOf<Name extends keyof Tables, T, P extends KeyValue>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
  parents: readonly P[],
  request: SliceRequest,
): Promise<ReadonlyMap<P, Slice<T>>> {
  const childId = 'link' in relation ? `l.${relation.child}` : `t.${listing.id}`;
  const { rows } = await sql<Row<Name> & { parent_id: P }>`
    select p.value as parent_id, r.* from ${idTable(parents)} cross join ${sql.table(listing.table)} as r
    where ${sql.ref(`r.${listing.id}`)} in (
      select ${sql.ref(childId)} from ${childrenOf(work, listing, relation)}
        and ${filtered(work, listing, request)} ${ordered(listing, request, 't', childId)}
        limit ${request.limit + 1})
    ${isById(listing, request) ? sql`` : ordered(listing, request, 'r')}`.execute(work.db);
  const byParent = new Map<P, Row<Name>[]>(parents.map((parent) => [parent, []]));
  for (const row of rows) byParent.get(row.parent_id)?.push(row);
  const shared = sharing<Row<Name>, T>(listing);
  return new Map(
    [...byParent].map(([parent, own]) => {
      if (isById(listing, request)) sortById(own, listing, request);
      return [parent, sliceOfRows(own, listing, request, shared)];
    }),
  );
}

const isById = <Name extends keyof Tables, T>(listing: Listing<Name, T>, request: SliceRequest): boolean =>
  columnOf(listing, request) === listing.id;

/** Sorts in memory: at most `limit + 1` rows per parent, cheaper than one ORDER BY over all parents. */
function sortById<Name extends keyof Tables, T>(
  rows: Row<Name>[],
  { id }: Listing<Name, T>,
  request: SliceRequest,
): void {
  const sign = isDown(request) ? -1 : 1;
  rows.sort((a, b) => sign * ((a[id] as number) - (b[id] as number)));
}

/** Number of records in a company's list. */
async function countIn<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  where: Condition | null,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(listing.table)} as t
    where ${ofCompany(work, listing)} ${alsoMeets(listing, where)}`.execute(work.db);
  return rows[0]?.total ?? 0;
}

/** Number of records in each parent's list, in one statement. */
async function countsOf<Name extends keyof Tables, T, P extends KeyValue>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
  parents: readonly P[],
  where: Condition | null,
): Promise<ReadonlyMap<P, number>> {
  const { rows } = await sql<{ parent_id: P; total: number }>`
    select p.value as parent_id, (select count(*) from ${childrenOf(work, listing, relation)}
      and ${ofCompany(work, listing)} ${alsoMeets(listing, where)}) as total from ${idTable(parents)}`.execute(
    work.db,
  );
  return new Map(rows.map((row) => [row.parent_id, row.total]));
}

/** FROM and WHERE of the children `t` of the parent `p.value`; the caller adds `ofCompany` and other conditions. */
function childrenOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
): RawBuilder<unknown> {
  const table = sql.table(listing.table);
  if ('column' in relation) return sql`${table} as t where ${sql.ref(`t.${relation.column}`)} = p.value`;
  const link = sql.table(relation.link);
  // CROSS JOIN fixes the join order: a parent has fewer links than the company has records.
  return sql`${link} as l cross join ${table} as t
    where l.company_id = ${work.caller.companyId} and ${sql.ref(`l.${relation.parent}`)} = p.value
      and ${sql.ref(`t.${listing.id}`)} = ${sql.ref(`l.${relation.child}`)}`;
}

function ofCompany<Name extends keyof Tables, T>(
  work: ReadWork,
  { company = { column: 'company_id' }, id }: Listing<Name, T>,
): RawBuilder<unknown> {
  const { companyId } = work.caller;
  if ('column' in company) return sql`${sql.ref(`t.${company.column}`)} = ${companyId}`;
  return sql`exists (select 1 from ${sql.table(company.link)} as m
    where m.company_id = ${companyId} and ${sql.ref(`m.${company.child}`)} = ${sql.ref(`t.${id}`)})`;
}

function alsoMeets<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  where: Condition | null,
): RawBuilder<unknown> {
  return where === null ? sql`` : sql`and ${condition(listing.filters, where)}`;
}

function filtered<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  request: SliceRequest,
): RawBuilder<unknown> {
  const where = request.condition && withoutImplied(request.condition, impliedByKey(listing, request));
  return sql`${ofCompany(work, listing)} ${alsoMeets(listing, where)} ${beyondKey(listing, request)}`;
}

/**
 * The comparisons that follow from the key already, for example `started_at < tomorrow` below the key of yesterday.
 * They are left out because SQLite may otherwise start its index scan at the filter's bound, far from the key.
 */
function impliedByKey<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
): Parameters<typeof withoutImplied>[1] {
  const at = request.key?.value;
  const column = columnOf(listing, request);
  return ({ field, operator, value }) => {
    if (typeof at !== 'number' || !(value instanceof Date)) return false;
    if (listing.filters[field]?.column !== column) return false;
    const end = instant.toColumn(value);
    return isDown(request) ? operator === 'lt' && at < end : operator === 'gte' && at >= end;
  };
}

function beyondKey<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
): RawBuilder<unknown> {
  const { key } = request;
  if (key === null) return sql``;
  const comparison = isDown(request) ? sql`<` : sql`>`;
  const column = columnOf(listing, request);
  const id = sql.ref(`t.${listing.id}`);
  if (column === listing.id) return sql`and ${id} ${comparison} ${key.id}`;
  return sql`and (${sql.ref(`t.${column}`)}, ${id}) ${comparison} (${key.value}, ${key.id})`;
}

function ordered<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
  table = 't',
  idRef = `${table}.${listing.id}`,
): RawBuilder<unknown> {
  const direction = isDown(request) ? sql`desc` : sql`asc`;
  const column = columnOf(listing, request);
  const id = sql`${sql.ref(idRef)} ${direction}`;
  return column === listing.id
    ? sql`order by ${id}`
    : sql`order by ${sql.ref(`${table}.${column}`)} ${direction}, ${id}`;
}

function columnOf<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
): string & keyof Row<Name> {
  const column = listing.orders[request.order];
  if (column === undefined) throw new Error(`The list of ${listing.table} has no order ${request.order}`);
  return column;
}

function sliceOfRows<Name extends keyof Tables, T>(
  rows: readonly Row<Name>[],
  listing: Listing<Name, T>,
  request: SliceRequest,
  recordOf: (row: Row<Name>) => T = listing.recordOf,
): Slice<T> {
  const column = columnOf(listing, request);
  const items = rows.slice(0, request.limit).map((row) => ({
    record: recordOf(row),
    key: { value: row[column] as KeyValue, id: row[listing.id] as number },
  }));
  if (request.backward) items.reverse();
  return { items, hasMore: rows.length > request.limit };
}

/** A list as services offer it. */
export interface List<T> {
  readonly name: string;
  readonly isLarge: boolean;
  readonly orders: readonly string[];
  readonly filters: Readonly<Record<string, FilterKind>>;
  slice(work: ReadWork, request: SliceRequest): Promise<Slice<T>>;
  count(work: ReadWork, where: Condition | null): Promise<number>;
  /** Records by id, in one statement; ids that the company does not have are absent. */
  byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  /** The same records in the order of their insertion; `index` is the index over the company and the id. */
  arrivals(index: string): Arrivals<T>;
  /** The same list for each of many parents, which are given by their ids (`number`) or names (`string`). */
  of<P extends KeyValue = number>(relation: Relation): ChildList<T, P>;
}

/** The lists of many parents at once. */
export interface ChildList<T, P extends KeyValue = number> {
  readonly list: List<T>;
  slices(work: ReadWork, parents: readonly P[], request: SliceRequest): Promise<ReadonlyMap<P, Slice<T>>>;
  counts(work: ReadWork, parents: readonly P[], where: Condition | null): Promise<ReadonlyMap<P, number>>;
}

export function listOf<Name extends keyof Tables, T>(listing: Listing<Name, T>): List<T> {
  const list: List<T> = {
    name: listing.name,
    isLarge: listing.isLarge === true,
    orders: Object.keys(listing.orders),
    filters: Object.fromEntries(Object.entries(listing.filters).map(([name, { kind }]) => [name, kind])),
    slice: (work, request) => sliceOf(work, listing, request),
    count: (work, where) => countIn(work, listing, where),
    byIds: (work, ids) => recordsById(work, listing, ids),
    arrivals: (index) => arrivalsOf(listing, index),
    of: (relation) => ({
      list,
      slices: (work, parents, request) => slicesOf(work, listing, relation, parents, request),
      counts: (work, parents, where) => countsOf(work, listing, relation, parents, where),
    }),
  };
  return list;
}

async function recordsById<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, T>> {
  const { rows } = await sql<Row<Name>>`select t.* from ${sql.table(listing.table)} as t
    where ${ofCompany(work, listing)} and ${sql.ref(`t.${listing.id}`)} in ${amongIds(ids)}`.execute(work.db);
  return new Map(rows.map((row) => [row[listing.id] as number, listing.recordOf(row)]));
}
