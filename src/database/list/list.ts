/** Lists with keyset pagination: a record's key is `[sort value, id]`, a total order (decisions.md#keyset-cursors). */
import { sql } from 'kysely';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { columnNames, type Tables } from '../../schema/schema.js';
import type { AuditedRecord, AuditedTableName, CompanyTable } from '../company/company-table.js';
import { countOf, lastDrawn } from '../counters.js';
import { runCached, runFiltered } from '../statements.js';
import { crossJoin, haveIds, type Sql } from '../storage.js';
import type { ReadWork } from '../work.js';
import { columnsIn, meant, type Condition, type FilterKind } from './condition.js';
import {
  childrenOf,
  companiesOf,
  firstIn,
  isRecord,
  nameOf,
  ofCompany,
  orderColumn,
  parentTable,
  selected,
  sortById,
  tableWith,
} from './listing.js';
import type { AnyListing, KeyValue, LinkRelation, Listing, ListRow, Relation } from './listing.js';
import { Slice, type Key, type SliceRequest } from './listing.js';
import { newRowsOf, type NewRows } from './new-rows.js';
import { linkedPages, PageStatement, sliceOf } from './page.js';
import { alsoMeets, isServed, orderOfChildren, type Search } from './request-class.js';

const ROWS_PER_SLICE = 1_000;

/** Field of conditions on the id of a record, beside the filters that clients have. */
export const RECORD_ID = ' id';

let lists = 0;

export class List<T> {
  readonly name: string;
  readonly isLarge: boolean;
  readonly orders: readonly string[];
  readonly filters: Readonly<Record<string, FilterKind>>;
  /** Columns by the property of a record, and by the names in `others`; see `Listing`. */
  readonly columns: Readonly<Record<string, string>>;
  readonly allColumns: readonly string[];
  readonly recordOf: (row: ListRow) => T;
  readonly listing: AnyListing<T>;

  /** `read` are the columns to read; `key` is the prefix of the names of queries. */
  constructor(
    listing: AnyListing<T>,
    readonly key = `list ${(lists += 1)}`,
    readonly read: readonly string[] = columnNames(listing.table),
  ) {
    const { table, id, orders, columns, others } = listing;
    const { [RECORD_ID]: byId = { column: id, kind: 'id' as const }, ...filters } = listing.filters;
    this.listing = { ...listing, filters: { ...filters, [RECORD_ID]: byId } };
    this.name = listing.name;
    this.isLarge = listing.isLarge === true;
    this.orders = Object.keys(orders);
    this.filters = Object.fromEntries(Object.entries(filters).map(([field, { kind }]) => [field, kind]));
    this.columns = { id, ...columns, ...others };
    this.allColumns = columnNames(table);
    this.recordOf = listing.recordOf;
  }

  /** A list whose results are rows of the given columns, which include the id, instead of records. */
  only(columns: readonly string[]): List<ListRow> {
    const listing = { ...this.listing, columns: {}, recordOf: (row: ListRow) => row };
    return new List(listing, `${this.key} ${columns.join()}`, columns);
  }

  async slice(work: ReadWork, given: SliceRequest): Promise<Slice<T>> {
    const request = this.meant(work, given);
    const rows = await new PageStatement(work, this, request).rows();
    return sliceOf(this.listing, request, rows, this.recordOf);
  }

  /** All records that meet a condition, by ascending id, if they are at most `limit`; otherwise some more of them. */
  async upTo(work: ReadWork, limit: number, condition: Condition | null): Promise<readonly T[]> {
    const page = firstIn('ID', ROWS_PER_SLICE, { condition });
    const found: T[] = [];
    for (let key: Key | null = null; ;) {
      const slice: Slice<T> = await this.slice(work, { ...page, key });
      for (const record of slice.records) found.push(record);
      if (!slice.hasMore || found.length > limit) return found;
      key = slice.items.at(-1)?.key ?? null;
      await yieldToEventLoop();
    }
  }

  async count(work: ReadWork, given: Condition | null): Promise<number> {
    const { rows: counted, filters } = this.listing;
    const where = meant(filters, given, work);
    if (where === null && typeof counted === 'string') return await countOf(work, counted);
    const query = { name: `${this.key} count`, where, before: [work.caller.companyId], after: [] };
    const rows = await runFiltered<{ total: number }>(
      work.db,
      query,
      () => sql`select count(*) as total ${this.from(work, given)}`,
    );
    return rows[0]?.total ?? 0;
  }

  /** FROM and WHERE for the company's records `t` that meet a condition; `used` are more columns of `t`, and `joined` joins. */
  from(work: ReadWork, given: Condition | null, used: readonly string[] = [], joined: Sql = sql``): Sql {
    const { filters } = this.listing;
    const where = meant(filters, given, work);
    return sql`from ${tableWith(this.listing, [...used, ...columnsIn(filters, where)])} as t ${joined}
      where ${ofCompany(this.listing, work, where)} ${alsoMeets(this.listing, where)}`;
  }

  /** Records by id, in one statement; ids that the company does not have are absent. */
  async byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>> {
    const { id, company = 'company_id', recordOf } = this.listing;
    const { companyId } = work.caller;
    const key = { company: sql.ref(`t.${company}`), id: sql.ref(`t.${id}`) };
    const rows = await runCached<ListRow>(
      work.db,
      `${this.key} by ids`,
      [companyId, JSON.stringify(ids)],
      () => sql`select ${selected('t', this.read)} from ${tableWith(this.listing, this.read, { join: crossJoin })} as t
        where ${haveIds(key, companyId, ids)} ${isRecord(this.listing)}`,
    );
    return new Map(rows.map((row) => [row[id] as number, recordOf(row)]));
  }

  /** The search that `slice` is; null if an index serves it. */
  searchOfSlice({ condition, order }: SliceRequest): Search | null {
    return isServed(this.listing, condition, order) ? null : { rows: this.listing.rows };
  }

  /** The search that `count` is; null if an index or a counter serves it. */
  searchOfCount(where: Condition | null): Search | null {
    const { rows } = this.listing;
    const isCounted = where === null && typeof rows === 'string';
    return isCounted || isServed(this.listing, where) ? null : { rows };
  }

  /** Records in the order of their insertion; `index` is the name of the index over the company and the id. */
  newRows(index: string): NewRows<T> {
    return { name: this.name, filters: this.filters, ...newRowsOf(this.listing, index) };
  }

  /** Rows that a change moves to a new position, drawn from a counter: missing positions are not of deleted rows. */
  movedRows(index: string, counter: string): NewRows<T> {
    return {
      ...this.newRows(index),
      span: async ({ db }, companyId) => ({ first: 1, last: await lastDrawn(db, companyId, counter) }),
    };
  }

  /** Lists of the children of many parents, which are given by their ids (`number`) or names (`string`). */
  of<const R extends Relation>(relation: R): ChildList<T, R extends { isName: true } ? string : number> {
    return new ChildList(this, relation);
  }

  /** The request with each comparison replaced by its current meaning. */
  meant(work: ReadWork, request: SliceRequest): SliceRequest {
    return { ...request, condition: meant(this.listing.filters, request.condition, work) };
  }
}

/** The lists of many parents: one or two statements read those of all parents (decisions.md#one-statement-per-level). */
export class ChildList<T, P extends KeyValue = number> {
  constructor(
    readonly list: List<T>,
    private readonly relation: Relation,
  ) {}

  only(columns: readonly string[]): ChildList<ListRow, P> {
    return new ChildList(this.list.only(columns), this.relation);
  }

  async slices(
    work: ReadWork,
    parents: readonly P[],
    given: SliceRequest,
  ): Promise<ReadonlyMap<P, Slice<T>>> {
    const { list, relation } = this;
    const { listing } = list;
    const { id } = listing;
    const request = list.meant(work, given);
    const isById = orderColumn(listing, request) === id;
    if ('link' in relation && isById && request.condition === null) {
      return await this.#linked(work, relation, parents, request);
    }
    const rows = await new PageStatement(work, list, request, { relation, parents }).rows();
    const byParent = Map.groupBy(rows, (row) => row.parent_id as P);
    if (isById) for (const own of byParent.values()) sortById(own, id, request);
    const recordOf = sharing(listing);
    return new Map(
      parents.map((parent) => [parent, sliceOf(listing, request, byParent.get(parent) ?? [], recordOf)]),
    );
  }

  /** Parents may share records: a statement reads the ids of all pages, and a second one each record once. */
  async #linked(
    work: ReadWork,
    relation: LinkRelation,
    parents: readonly P[],
    request: SliceRequest,
  ): Promise<ReadonlyMap<P, Slice<T>>> {
    const pages = await linkedPages(work, this.list, relation, parents, request);
    const distinct = new Set<number>();
    for (const { ids } of pages) for (const id of ids) distinct.add(id);
    const records = distinct.size === 0 ? new Map<number, T>() : await this.list.byIds(work, [...distinct]);
    return new Map(
      pages.map(({ parent, ids, hasMore }) => {
        // Another unit may have deleted a record between the two statements of a unit that writes.
        const found = ids.filter((id) => records.has(id));
        const shared = found.map((id) => records.get(id) as T);
        return [parent, new Slice(shared, hasMore, () => found.map((id) => ({ value: id, id })))];
      }),
    );
  }

  async counts(
    work: ReadWork,
    parents: readonly P[],
    given: Condition | null,
  ): Promise<ReadonlyMap<P, number>> {
    const { list, relation } = this;
    const { listing } = list;
    const where = meant(listing.filters, given, work);
    const name = `${list.key} counts ${nameOf(relation)}`;
    const rows = await runFiltered<{ parent_id: P; total: number }>(
      work.db,
      { name, where, before: companiesOf(work, relation), after: [JSON.stringify(parents)] },
      () => sql`select p.value as parent_id, (select count(*)
          from ${childrenOf(listing, relation, work, columnsIn(listing.filters, where))}
          and ${ofCompany(listing, work, where)} ${alsoMeets(listing, where, relation)}) as total
        from ${parentTable(relation, parents)}`,
    );
    return new Map(rows.map((row) => [row.parent_id, row.total]));
  }

  /** The search that `slices` is, for all parents together; null if an index serves it. */
  searchOfSlices({ condition, order }: SliceRequest): Search | null {
    const isIndexed = condition === null && orderOfChildren(this.list.listing, this.relation) === order;
    return isIndexed ? null : this.#search();
  }

  /** The search that `counts` is; null if few entries of an index are read: without a filter, by a column. */
  searchOfCounts(where: Condition | null): Search | null {
    const isIndexed = where === null && 'column' in this.relation && this.list.listing.isEndless !== true;
    return isIndexed ? null : this.#search();
  }

  /** Each child has one parent, or one for each link, so no more rows are read. */
  #search(): Search {
    return { rows: 'link' in this.relation ? this.relation.link : this.list.listing.rows };
  }
}

export const listOf = <Name extends keyof Tables, T>(listing: Listing<Name, T>): List<T> =>
  new List<T>(listing as unknown as AnyListing<T>);

/** The list of an ordinary resource. Adds the orders and filters of the id, and of the times of creation and change. */
export function auditedList<
  Name extends AuditedTableName,
  T extends AuditedRecord,
  Other extends string = never,
>(
  { table, columns, recordOf }: CompanyTable<Name, T>,
  own: Pick<Listing<Name, T, Other>, 'name' | 'joined' | 'orders' | 'filters' | 'isLarge' | 'others'>,
): List<T> {
  return new List<T>({
    ...own,
    table,
    recordOf: recordOf as unknown as AnyListing<T>['recordOf'],
    rows: table,
    id: 'id',
    columns,
    orders: { ID: 'id', ...own.orders, CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
    filters: {
      id: { column: 'id', kind: 'id', isUnique: true },
      ...own.filters,
      createdAt: { column: 'created_at', kind: 'instant' },
      updatedAt: { column: 'updated_at', kind: 'instant' },
    },
  });
}

/** Converts rows to records. Rows with the same id become the same object: a record of many parents exists once. */
function sharing<T>({ id, recordOf }: AnyListing<T>): (row: ListRow) => T {
  const records = new Map<unknown, T>();
  return (row) => {
    let record = records.get(row[id]);
    if (record === undefined) records.set(row[id], (record = recordOf(row)));
    return record;
  };
}
