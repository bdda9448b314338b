/**
 * Lists by key instead of by page number: for a whole company, or the first ones of each of many parents in
 * one statement. A key always ends in the unique id, so that no record is shown twice or skipped.
 */
import { sql, type RawBuilder } from 'kysely';

import { condition, type Condition, type FilterColumn, type FilterKind } from './condition.js';
import { amongIds, idTable } from './storage.js';
import type { Row, Tables } from './tables.js';
import type { ReadWork } from './work.js';

export type KeyValue = string | number;

export interface Key {
  readonly value: KeyValue;
  readonly id: number;
}

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
  /** Which rows `t` the company sees; its own, where not said otherwise. */
  readonly visible?: (companyId: number) => RawBuilder<unknown>;
}

export interface SliceRequest {
  /** Name in `orders`. */
  readonly order: string;
  readonly descending: boolean;
  /** The last ones before `key` instead of the first ones after it; they come in the same order. */
  readonly backward: boolean;
  readonly limit: number;
  readonly key: Key | null;
  readonly condition: Condition | null;
}

export interface Slice<T> {
  readonly items: readonly { readonly record: T; readonly key: Key }[];
  /** Whether the list goes on in the direction of the request. */
  readonly hasMore: boolean;
}

/** How children are found: by a column of theirs, or through a table of links. */
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
async function slicesOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
  parents: readonly number[],
  request: SliceRequest,
): Promise<ReadonlyMap<number, Slice<T>>> {
  const { rows } = await sql<Row<Name> & { parent_id: number }>`
    select p.value as parent_id, r.* from ${idTable(parents)} cross join ${sql.table(listing.table)} as r
    where ${sql.ref(`r.${listing.id}`)} in (
      select ${sql.ref(`t.${listing.id}`)} from ${childrenOf(work, listing, relation)}
        and ${filtered(work, listing, request)} ${ordered(listing, request)} limit ${request.limit + 1})
    ${ordered(listing, request, 'r')}`.execute(work.db);
  const byParent = new Map<number, Row<Name>[]>(parents.map((parent) => [parent, []]));
  for (const row of rows) byParent.get(row.parent_id)?.push(row);
  return new Map([...byParent].map(([parent, own]) => [parent, cut(own, listing, request)]));
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
async function countsOf<Name extends keyof Tables, T>(
  work: ReadWork,
  listing: Listing<Name, T>,
  relation: Relation,
  parents: readonly number[],
  where: Condition | null,
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ parent_id: number; total: number }>`
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
  return sql`${link} as l join ${table} as t
      on t.company_id = l.company_id and ${sql.ref(`t.${listing.id}`)} = ${sql.ref(`l.${relation.child}`)}
    where l.company_id = ${work.caller.companyId} and ${sql.ref(`l.${relation.parent}`)} = p.value`;
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
  return sql`${seen(work, listing)} ${meets(listing, request.condition)} ${beyond(listing, request)}`;
}

const isDown = (request: SliceRequest): boolean => request.descending !== request.backward;

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
): RawBuilder<unknown> {
  const way = isDown(request) ? sql`desc` : sql`asc`;
  const column = columnOf(listing, request);
  const id = sql`${sql.ref(`${table}.${listing.id}`)} ${way}`;
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
): Slice<T> {
  const column = columnOf(listing, request);
  const items = rows.slice(0, request.limit).map((row) => ({
    record: listing.recordOf(row),
    key: { value: row[column] as KeyValue, id: row[listing.id] as number },
  }));
  if (request.backward) items.reverse();
  return { items, hasMore: rows.length > request.limit };
}

/** A list as services offer it: what it can be ordered and narrowed by, and its parts. */
export interface List<T> {
  readonly name: string;
  readonly orders: readonly string[];
  readonly filters: Readonly<Record<string, FilterKind>>;
  slice(work: ReadWork, request: SliceRequest): Promise<Slice<T>>;
  count(work: ReadWork, where: Condition | null): Promise<number>;
  /** Records by id, in one statement; what the company does not have is absent. */
  byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  /** The same list for each of many parents. */
  of(relation: Relation): ChildList<T>;
}

/** The lists of many parents at once. */
export interface ChildList<T> {
  readonly list: List<T>;
  slices(
    work: ReadWork,
    parents: readonly number[],
    request: SliceRequest,
  ): Promise<ReadonlyMap<number, Slice<T>>>;
  counts(
    work: ReadWork,
    parents: readonly number[],
    where: Condition | null,
  ): Promise<ReadonlyMap<number, number>>;
}

export function listOf<Name extends keyof Tables, T>(listing: Listing<Name, T>): List<T> {
  const list: List<T> = {
    name: listing.name,
    orders: Object.keys(listing.orders),
    filters: Object.fromEntries(Object.entries(listing.filters).map(([name, { kind }]) => [name, kind])),
    slice: (work, request) => sliceOf(work, listing, request),
    count: (work, where) => countIn(work, listing, where),
    byIds: (work, ids) => recordsById(work, listing, ids),
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
