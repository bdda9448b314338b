/**
 * Lists by key instead of by page number: for a whole company, or the first ones of each of many parents in
 * one statement. A key always ends in the unique id, so that no record is shown twice or skipped.
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

/** What can be listed of a table, and how. */
export interface Listing<Name extends keyof Tables, T> {
  /** What one record is called, for instance `LogicalNumber`. */
  readonly name: string;
  readonly table: Name;
  /** Column of the unique id. */
  readonly id: string & keyof Row<Name>;
  /** Columns to order by, all indexed and never null, by public name. */
  readonly orders: Readonly<Record<string, string & keyof Row<Name>>>;
  /** Columns to filter by, by public name. */
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly recordOf: (row: Row<Name>) => T;
  /** Whether records may hold long texts, so that a few thousand are more than there is room for. */
  readonly isLarge?: true;
  /** Which rows `t` the company sees; its own, where not said otherwise. */
  readonly visible?: (companyId: number) => RawBuilder<unknown>;
}

/** How children are found: by a column of theirs, which holds the parent's id or name, or through a table of links. */
export type Relation =
  | { readonly column: string }
  | { readonly link: keyof Tables; readonly parent: string; readonly child: string };

/** Part of a company's list. */
async function sliceOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  request: SliceRequest,
): Promise<Slice<T>> {
  const rows = await sql<Row<Name>>`select t.* from ${sql.table(listing.table)} as t
    where ${filtered(work, listing, request)} ${ordered(listing, request)} limit ${request.limit + 1}`.execute(
    work.db,
  );
  return cut(rows.rows, listing, request);
}

/** The same part of each parent's list, in one statement. */
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
      return [parent, cut(own, listing, request, shared)];
    }),
  );
}

const isById = <Name extends keyof Tables, T>(listing: Listing<Name, T>, request: SliceRequest): boolean =>
  columnOf(listing, request) === listing.id;

/** A few rows of each parent are sorted sooner here than all of them there. */
function sortById<Name extends keyof Tables, T>(
  rows: Row<Name>[],
  { id }: Listing<Name, T>,
  request: SliceRequest,
): void {
  const way = isDown(request) ? -1 : 1;
  rows.sort((a, b) => way * ((a[id] as number) - (b[id] as number)));
}

/** Number of records in a company's list. */
async function countIn<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  where: Condition | null,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(listing.table)} as t
    where ${seen(work, listing)} ${meets(listing, where)}`.execute(work.db);
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
      and ${seen(work, listing)} ${meets(listing, where)}) as total from ${idTable(parents)}`.execute(
    work.db,
  );
  return new Map(rows.map((row) => [row.parent_id, row.total]));
}

/** The children `t` of the parent `p.value`, ending in an open `where`. */
function childrenOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
): RawBuilder<unknown> {
  const table = sql.table(listing.table);
  if ('column' in relation) return sql`${table} as t where ${sql.ref(`t.${relation.column}`)} = p.value`;
  const link = sql.table(relation.link);
  // A cross join keeps the order: the links of a parent are fewer than the records of the company.
  return sql`${link} as l cross join ${table} as t
    where l.company_id = ${work.caller.companyId} and ${sql.ref(`l.${relation.parent}`)} = p.value
      and t.company_id = l.company_id and ${sql.ref(`t.${listing.id}`)} = ${sql.ref(`l.${relation.child}`)}`;
}

function seen<Name extends keyof Tables, T>(work: ReadWork, listing: Listing<Name, T>): RawBuilder<unknown> {
  const { companyId } = work.caller;
  return listing.visible?.(companyId) ?? sql`t.company_id = ${companyId}`;
}

function meets<Name extends keyof Tables, T>(
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
  const where = request.condition && withoutImplied(request.condition, impliedBy(listing, request));
  return sql`${seen(work, listing)} ${meets(listing, where)} ${beyond(listing, request)}`;
}

/** The engine begins at one end only: where the key is the nearer one, the filter's must not be in its way. */
function impliedBy<Name extends keyof Tables, T>(
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

function beyond<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
): RawBuilder<unknown> {
  const { key } = request;
  if (key === null) return sql``;
  const than = isDown(request) ? sql`<` : sql`>`;
  const column = columnOf(listing, request);
  const id = sql.ref(`t.${listing.id}`);
  if (column === listing.id) return sql`and ${id} ${than} ${key.id}`;
  return sql`and (${sql.ref(`t.${column}`)}, ${id}) ${than} (${key.value}, ${key.id})`;
}

function ordered<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
  table = 't',
  idRef = `${table}.${listing.id}`,
): RawBuilder<unknown> {
  const way = isDown(request) ? sql`desc` : sql`asc`;
  const column = columnOf(listing, request);
  const id = sql`${sql.ref(idRef)} ${way}`;
  return column === listing.id
    ? sql`order by ${id}`
    : sql`order by ${sql.ref(`${table}.${column}`)} ${way}, ${id}`;
}

function columnOf<Name extends keyof Tables, T>(
  listing: Listing<Name, T>,
  request: SliceRequest,
): string & keyof Row<Name> {
  const column = listing.orders[request.order];
  if (column === undefined) throw new Error(`${listing.table} cannot be ordered by ${request.order}`);
  return column;
}

function cut<Name extends keyof Tables, T>(
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

/** A list as services offer it: what it can be ordered and narrowed by, and its parts. */
export interface List<T> {
  readonly name: string;
  readonly isLarge: boolean;
  readonly orders: readonly string[];
  readonly filters: Readonly<Record<string, FilterKind>>;
  slice(work: ReadWork, request: SliceRequest): Promise<Slice<T>>;
  count(work: ReadWork, where: Condition | null): Promise<number>;
  /** Records by id, in one statement; what the company does not have is absent. */
  byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  /** The same records in the order in which they came; `index` is the one over the company and the id. */
  arrivals(index: string): Arrivals<T>;
  /** The same list for each of many parents, who go by their ids or, where told so, by their names. */
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
    where ${seen(work, listing)} and ${sql.ref(`t.${listing.id}`)} in ${amongIds(ids)}`.execute(work.db);
  return new Map(rows.map((row) => [row[listing.id] as number, listing.recordOf(row)]));
}
