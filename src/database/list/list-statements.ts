import { sql, type RawBuilder } from 'kysely';

import { columnNames, type Row, type Tables } from '../../schema/schema.js';
import { inIds } from '../bound-lists.js';
import { countOf } from '../counters.js';
import { runCached, runFiltered, type Filtered } from '../statements.js';
import { childrenOfEach, hiddenFromPlanner } from '../storage.js';
import type { ReadWork } from '../work.js';
import { columnsIn, meant, type Condition } from './condition.js';
import {
  besideKey,
  childColumn,
  boundKey,
  childrenOf,
  companiesOf,
  idBeside,
  isDown,
  isOfPresence,
  type KeyValue,
  nameOf,
  ofCompany,
  parentTable,
  sharing,
  type Slice,
  type SliceRequest,
  sortById,
  tableWith,
} from './listing.js';
import type { LinkRelation, ListColumn, ListRow, Listing, Relation } from './listing.js';
import { readJoined, type JoinedOne, readLinked } from './related-rows.js';
import { alsoMeets, orderRef, unindexedRef } from './request-class.js';

let lists = 0;

/**
 * The statements of one list. A single statement reads the rows of all parents on a level
 * (decisions.md#one-statement-per-level).
 */
export class ListStatements<Name extends keyof Tables, T> {
  /** `key` is the prefix of the names of queries. `columns` are the columns to read. */
  constructor(
    private readonly listing: Listing<Name, T>,
    private readonly key = `list ${(lists += 1)}`,
    private readonly columns: readonly string[] = columnNames(listing.table),
  ) {}

  /** Statements whose results are rows of the given columns, which include the id, instead of records. */
  only(columns: readonly string[]): ListStatements<Name, ListRow> {
    const listing = { ...this.listing, columns: {}, recordOf: (row: ListRow) => row };
    return new ListStatements<Name, ListRow>(listing, `${this.key} ${columns.join()}`, columns);
  }

  /** One page of a company's list. */
  async slice(work: ReadWork, given: SliceRequest): Promise<Slice<T>> {
    const request = this.#meant(work, given);
    const rows = await runFiltered<Row<Name>>(
      work.db,
      this.#page(work, request, []),
      () => sql`select ${this.#selected('t', request)} from ${this.#pageOf(work, request)}`,
    );
    return this.#sliceOfRows(rows, request, this.listing.recordOf);
  }

  /**
   * FROM and the rest of the statement. If the presence of devices has the columns of the order and of all filters,
   * its rows of the page are read first.
   */
  #pageOf(work: ReadWork, request: SliceRequest): RawBuilder<unknown> {
    const { table } = this.listing;
    const used = this.#usedBy(request);
    const selected = [...this.columns, ...used];
    const id = `t.${this.#orderedId(request)}`;
    const page = sql`where ${this.#filtered(work, request)}
      ${this.#ordered(request, 't', id, orderRef(this.listing, request))} limit ${hiddenFromPlanner(request.limit + 1)}`;
    if (!isOfPresence(table, used)) return sql`${tableWith(table, selected)} as t ${page}`;
    const rows = sql`(select t.* from ${tableWith(table, used)} as t ${page})`;
    return sql`${tableWith(table, selected, { rows })} as t ${this.#ordered(request, 't', id, unindexedRef)}`;
  }

  /** One page of the list of each parent, in one statement. */
  async slices<P extends KeyValue>(
    work: ReadWork,
    relation: Relation,
    parents: readonly P[],
    given: SliceRequest,
  ): Promise<ReadonlyMap<P, Slice<T>>> {
    const { id } = this.listing;
    const request = this.#meant(work, given);
    const isById = this.#columnOf(request) === id;
    if ('link' in relation && isById && request.condition === null) {
      return await this.#linked(work, relation, parents, request);
    }
    const before = [JSON.stringify(parents), work.caller.companyId];
    const rows = await runFiltered<Row<Name> & { parent_id: P }>(
      work.db,
      this.#page(work, request, before, relation),
      () => sql`select p.value as parent_id, ${this.#selected('r', request)} from ${this.#pagesOf(work, relation, parents, request)}
        ${isById ? sql`` : this.#ordered(request, 'r', `r.${id}`, unindexedRef)}`,
    );
    const byParent = Map.groupBy(rows, (row) => row.parent_id);
    const recordOf = sharing<Row<Name>, T>(this.listing);
    return new Map(
      parents.map((parent) => {
        const own = byParent.get(parent) ?? [];
        if (isById) sortById(own, id, request);
        return [parent, this.#sliceOfRows(own, request, recordOf)];
      }),
    );
  }

  /** The page `r` of each parent `p`. */
  #pagesOf(
    work: ReadWork,
    relation: Relation,
    parents: readonly KeyValue[],
    request: SliceRequest,
  ): RawBuilder<unknown> {
    const { table, id, company = 'company_id' } = this.listing;
    const childId = 'link' in relation ? `l.${childColumn(relation)}` : `t.${id}`;
    const selected = [...this.columns, this.#columnOf(request)];
    const ref = orderRef(this.listing, request, relation);
    return childrenOfEach({
      parents: parentTable(relation, parents),
      table: tableWith(table, selected),
      company,
      id,
      childId,
      companyId: work.caller.companyId,
      ofParent: sql`${childrenOf(this.listing, relation, work, [...selected, ...this.#usedBy(request)])}
          and ${this.#filtered(work, request, relation)} ${this.#ordered(request, 't', childId, ref)}
          limit ${hiddenFromPlanner(request.limit + 1)}`,
    });
  }

  /** One page of linked rows for each parent; each row is read once, however many parents share it. */
  async #linked<P extends KeyValue>(
    work: ReadWork,
    relation: LinkRelation,
    parents: readonly P[],
    request: SliceRequest,
  ): Promise<ReadonlyMap<P, Slice<T>>> {
    const found = await readLinked<Row<Name>, P>(work, {
      list: this.listing,
      relation,
      parents,
      request,
      columns: this.columns,
      key: this.key,
    });
    const recordOf = sharing<Row<Name>, T>(this.listing);
    return new Map(
      parents.map((parent) => [parent, this.#sliceOfRows(found.get(parent) ?? [], request, recordOf)]),
    );
  }

  /** Number of records in a company's list. */
  async count(work: ReadWork, given: Condition | null): Promise<number> {
    const { rows: counted, filters } = this.listing;
    const where = meant(filters, given, work);
    if (where === null && typeof counted === 'string') return await countOf(work, counted);
    const query = { name: `${this.key} count`, where, before: [work.caller.companyId], after: [] };
    const rows = await runFiltered<{ total: number }>(
      work.db,
      query,
      () => sql`select count(*) as total from ${tableWith(this.listing.table, columnsIn(filters, where))} as t
        where ${ofCompany(this.listing, work, where)} ${alsoMeets(this.listing, where)}`,
    );
    return rows[0]?.total ?? 0;
  }

  /** Number of records in each parent's list, in one statement. */
  async counts<P extends KeyValue>(
    work: ReadWork,
    relation: Relation,
    parents: readonly P[],
    given: Condition | null,
  ): Promise<ReadonlyMap<P, number>> {
    const where = meant(this.listing.filters, given, work);
    const rows = await runFiltered<{ parent_id: P; total: number }>(
      work.db,
      {
        name: `${this.key} counts ${nameOf(relation)}`,
        where,
        before: companiesOf(work, relation),
        after: [JSON.stringify(parents)],
      },
      () => sql`select p.value as parent_id, (select count(*) from ${childrenOf(this.listing, relation, work, columnsIn(this.listing.filters, where))}
        and ${ofCompany(this.listing, work, where)} ${alsoMeets(this.listing, where, relation)}) as total from ${parentTable(relation, parents)}`,
    );
    return new Map(rows.map((row) => [row.parent_id, row.total]));
  }

  async byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>> {
    const { id, recordOf } = this.listing;
    const parameters = [work.caller.companyId, JSON.stringify(ids)];
    const rows = await runCached<Row<Name>>(
      work.db,
      `${this.key} by ids`,
      parameters,
      () => sql`select ${this.#selected('t')} from ${tableWith(this.listing.table, this.columns)} as t
        where ${ofCompany(this.listing, work, null)} and ${sql.ref(`t.${id}`)} ${inIds(ids)}`,
    );
    return new Map(rows.map((row) => [row[id] as number, recordOf(row)]));
  }

  /** A record, with columns of records that it refers to, in one statement. */
  async byId(work: ReadWork, id: number, joined: readonly JoinedOne[]): Promise<T | undefined> {
    const parts = { list: this.listing, key: this.key, selected: this.#selected('t') };
    const row = await readJoined<Row<Name>>(work, { ...parts, used: this.columns, id, joined });
    return row && this.listing.recordOf(row);
  }

  /** The request with each comparison replaced by its current meaning. */
  #meant(work: ReadWork, request: SliceRequest): SliceRequest {
    return { ...request, condition: meant(this.listing.filters, request.condition, work) };
  }

  /** The columns to read, and the one by which a page is ordered. */
  #selected(alias: string, request?: SliceRequest): RawBuilder<unknown> {
    const columns = new Set(this.columns);
    if (request !== undefined) columns.add(this.#columnOf(request));
    return sql.join([...columns].map((column) => sql.ref(`${alias}.${column}`)));
  }

  /** Values that the query of a page binds, and a name that identifies its SQL apart from its filter. */
  #page(work: ReadWork, request: SliceRequest, before: readonly unknown[], relation?: Relation): Filtered {
    const { order, key, limit, condition: where } = request;
    const of = relation === undefined ? '' : nameOf(relation);
    const isById = this.#columnOf(request) === this.listing.id;
    const given = key === null ? [] : [...(isById ? [] : [boundKey(this.#columnOf(request), key)]), key.id];
    return {
      name: [this.key, 'page', of, order, isDown(request), key === null].join(' '),
      where,
      before: [...before, ...companiesOf(work, relation)],
      after: [...given, limit + 1],
    };
  }

  #sliceOfRows(rows: readonly Row<Name>[], request: SliceRequest, recordOf: (row: Row<Name>) => T): Slice<T> {
    const column = this.#columnOf(request);
    const items = rows.slice(0, request.limit).map((row) => ({
      record: recordOf(row),
      key: { value: (row as ListRow)[column] as KeyValue, id: row[this.listing.id] as number },
    }));
    if (request.backward) items.reverse();
    return { items, hasMore: rows.length > request.limit };
  }

  #filtered(work: ReadWork, request: SliceRequest, relation?: Relation): RawBuilder<unknown> {
    const where = besideKey(this.listing.filters, this.#columnOf(request), request);
    return sql`${ofCompany(this.listing, work, where)} ${alsoMeets(this.listing, where, relation)}
      ${this.#beyondKey(request, relation)}`;
  }

  #beyondKey(request: SliceRequest, relation?: Relation): RawBuilder<unknown> {
    const { key } = request;
    if (key === null) return sql``;
    const comparison = isDown(request) ? sql`<` : sql`>`;
    const column = this.#columnOf(request);
    const ref = orderRef(this.listing, request, relation);
    const id = ref(`t.${this.#orderedId(request)}`);
    if (column === this.listing.id) return sql`and ${id} ${comparison} ${hiddenFromPlanner(key.id)}`;
    return sql`and (${ref(`t.${column}`)}, ${id}) ${comparison} (${hiddenFromPlanner(boundKey(column, key))}, ${hiddenFromPlanner(key.id)})`;
  }

  #ordered(
    request: SliceRequest,
    table: string,
    idRef: string,
    ref: (name: string) => RawBuilder<unknown>,
  ): RawBuilder<unknown> {
    const direction = isDown(request) ? sql`desc` : sql`asc`;
    const column = this.#columnOf(request);
    const id = sql`${ref(idRef)} ${direction}`;
    return column === this.listing.id
      ? sql`order by ${id}`
      : sql`order by ${ref(`${table}.${column}`)} ${direction}, ${id}`;
  }

  /** Columns that a page is ordered and filtered by. */
  #usedBy(request: SliceRequest): readonly string[] {
    return [this.#columnOf(request), ...columnsIn(this.listing.filters, request.condition)];
  }

  /** Id column, the second value of a key. */
  #orderedId(request: SliceRequest): string {
    return idBeside(this.listing.table, this.#columnOf(request), this.listing.id);
  }

  #columnOf({ order }: SliceRequest): ListColumn<Name> {
    const column = this.listing.orders[order];
    if (column === undefined) throw new Error(`The list of ${this.listing.table} has no order ${order}`);
    return column;
  }
}
