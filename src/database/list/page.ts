/** SQL of the pages of lists. */
import { sql } from 'kysely';

import { runCached, runFiltered } from '../statements.js';
import { crossJoin, idsOf, hiddenFromPlanner, type Sql, portable } from '../storage.js';
import type { ReadWork } from '../work.js';
import { columnsIn } from './condition.js';
import {
  besideKey,
  boundKey,
  childColumn,
  childrenOf,
  companiesOf,
  idBeside,
  isDown,
  isOfJoined,
} from './listing.js';
import { nameOf, ofCompany, orderColumn, parentTable, selected, tableWith } from './listing.js';
import type { KeyValue, LinkRelation, ListRow, ListTable, Reading, Relation } from './listing.js';
import { Slice, type Key, type SliceRequest } from './listing.js';
import { alsoMeets, indexedRef, isOrderIndexed, unindexedRef } from './request-class.js';

/** Parents by their ids or names, and how their children are found. */
interface Parents {
  readonly relation: Relation;
  readonly parents: readonly KeyValue[];
}

/** The statement that reads a page of a list, or one of each parent. */
export class PageStatement {
  readonly #column: string;
  /** Id column, the second value of a key. */
  readonly #keyId: string;
  readonly #isById: boolean;

  constructor(
    private readonly work: ReadWork,
    private readonly list: Reading,
    private readonly request: SliceRequest,
    private readonly of: Parents | null = null,
  ) {
    this.#column = orderColumn(list.listing, request);
    this.#keyId = idBeside(list.listing, this.#column);
    this.#isById = this.#column === list.listing.id;
  }

  /** One row more than the limit if there are more; `parent_id` is the parent. Without an order if by ids of parents. */
  async rows(): Promise<ListRow[]> {
    const { work, list, of } = this;
    const { order, key, limit, condition: where } = this.request;
    const given = key === null ? [] : [...(this.#isById ? [] : [boundKey(this.#column, key)]), key.id];
    const before = of === null ? [] : [JSON.stringify(of.parents), work.caller.companyId];
    const relation = of?.relation;
    const query = {
      // Identifies the SQL apart from the filter.
      name: [list.key, 'page', relation && nameOf(relation), order, isDown(this.request), key === null].join(
        ' ',
      ),
      where,
      before: [...before, ...companiesOf(work, relation)],
      after: [...given, limit + 1],
    };
    return await runFiltered<ListRow>(work.db, query, () => (of === null ? this.#page() : this.#pages(of)));
  }

  /** If the joined table has the columns of the order and of all filters, its rows are read first. */
  #page(): Sql {
    const { listing } = this.list;
    const used = this.#used();
    const columns = [...this.list.read, ...used];
    const id = `t.${this.#keyId}`;
    const page = sql`where ${this.#filtered()} ${this.#ordered('t', id)} ${this.#limit()}`;
    const select = sql`select ${selected('t', [...this.list.read, this.#column])} from`;
    if (!isOfJoined(listing, used)) return sql`${select} ${tableWith(listing, columns)} as t ${page}`;
    const rows = sql`(select t.* from ${tableWith(listing, used)} as t ${page})`;
    return sql`${select} ${tableWith(listing, columns, { rows })} as t ${this.#ordered('t', id, unindexedRef)}`;
  }

  /** The page `r` of each parent `p`. */
  #pages({ relation, parents }: Parents): Sql {
    const { listing, read } = this.list;
    const { id, company = 'company_id' } = listing;
    const childId = 'link' in relation ? `l.${childColumn(relation)}` : `t.${id}`;
    const columns = [...read, this.#column];
    const ofParent = sql`${childrenOf(listing, relation, this.work, [...columns, ...this.#used()])}
      and ${this.#filtered()} ${this.#ordered('t', childId)} ${this.#limit()}`;
    const own = { table: tableWith(listing, columns, { join: crossJoin }), company, id };
    const { companyId } = this.work.caller;
    const pages = childrenOfEach(parentTable(relation, parents), own, companyId, childId, ofParent);
    const order = this.#isById ? sql`` : this.#ordered('r', `r.${id}`, unindexedRef);
    return sql`select p.value as parent_id, ${selected('r', columns)} from ${pages} ${order}`;
  }

  #used(): readonly string[] {
    return [this.#column, ...columnsIn(this.list.listing.filters, this.request.condition)];
  }

  #limit(): Sql {
    return sql`limit ${hiddenFromPlanner(this.request.limit + 1)}`;
  }

  #filtered(): Sql {
    const { listing } = this.list;
    const where = besideKey(listing.filters, this.#column, this.request);
    const walked = this.request.isWalk === true ? this.request.order : undefined;
    return sql`${ofCompany(listing, this.work, where)} ${alsoMeets(listing, where, this.of?.relation, walked)} ${this.#beyondKey()}`;
  }

  #beyondKey(): Sql {
    const { key } = this.request;
    if (key === null) return sql``;
    const comparison = isDown(this.request) ? sql`<` : sql`>`;
    const ref = this.#ref();
    const id = ref(`t.${this.#keyId}`);
    if (this.#isById) return sql`and ${id} ${comparison} ${hiddenFromPlanner(key.id)}`;
    const value = hiddenFromPlanner(boundKey(this.#column, key));
    return sql`and (${ref(`t.${this.#column}`)}, ${id}) ${comparison} (${value}, ${hiddenFromPlanner(key.id)})`;
  }

  #ordered(table: string, idRef: string, ref = this.#ref()): Sql {
    const direction = isDown(this.request) ? sql`desc` : sql`asc`;
    const id = sql`${ref(idRef)} ${direction}`;
    return this.#isById
      ? sql`order by ${id}`
      : sql`order by ${ref(`${table}.${this.#column}`)} ${direction}, ${id}`;
  }

  /** Names the columns of the order: so that an index is used, or so that none is. */
  #ref(): typeof indexedRef {
    return isOrderIndexed(this.list.listing, this.request, this.of?.relation) ? indexedRef : unindexedRef;
  }
}

interface LinkedPage<P> {
  readonly parent: P;
  /** The ids of the records, in the order in which they are shown. */
  readonly ids: readonly number[];
  readonly hasMore: boolean;
}

/** A page of each parent, in the order of ids and without a condition. */
export async function linkedPages<P extends KeyValue>(
  work: ReadWork,
  { key }: Reading,
  relation: LinkRelation,
  parents: readonly P[],
  request: SliceRequest,
): Promise<readonly LinkedPage<P>[]> {
  const { limit, backward } = request;
  const after = request.key === null ? [] : [request.key.id];
  const [found] = await runCached<{ pages: string }>(
    work.db,
    [key, 'linked', nameOf(relation), isDown(request), after.length].join(' '),
    [work.caller.companyId, ...after, limit + 1, JSON.stringify(parents)],
    () => sql`select ${PAGES} as pages from (
      select p.value as parent_id, ${idsOf(linksOf(work, relation, request))} as ids
      from ${parentTable(relation, parents)}) as page`,
  );
  const isDescending = isDown(request);
  const pages = JSON.parse(found?.pages ?? '[]') as [P, number[]][];
  return pages.map(([parent, given]) => {
    const hasMore = given.length > limit;
    const ids = sorted(given, isDescending);
    if (hasMore) ids.pop();
    if (backward) ids.reverse();
    return { parent, ids, hasMore };
  });
}

/** Ids in order: databases promise none for a JSON list, though they mostly keep that of the selection. */
function sorted(ids: number[], isDescending: boolean): number[] {
  const sign = isDescending ? -1 : 1;
  const isSorted = ids.every((id, index) => index === 0 || sign * (id - (ids[index - 1] ?? 0)) > 0);
  return isSorted ? ids : ids.sort((a, b) => sign * (a - b));
}

/** Parents with the ids of their pages, as one JSON list: to return a row for each takes longer. */
const PAGES = portable(
  sql`'[' || coalesce(group_concat('[' || json_quote(parent_id) || ',' || ids || ']'), '') || ']'`,
  sql`coalesce(json_agg(json_build_array(parent_id, ids::json))::text, '[]')`,
);

function linksOf(work: ReadWork, relation: LinkRelation, { key, limit, ...order }: SliceRequest): Sql {
  const child = sql.ref(`l.${childColumn(relation)}`);
  const isDescending = isDown(order);
  const beyond =
    key === null ? sql`` : sql`and ${child} ${isDescending ? sql`<` : sql`>`} ${hiddenFromPlanner(key.id)}`;
  return sql`select ${child} as id from ${sql.table(relation.link)} as l
    where l.company_id = ${hiddenFromPlanner(work.caller.companyId)} and ${sql.ref(`l.${relation.parent}`)} = p.value
      ${beyond}
    order by ${child} ${isDescending ? sql`desc` : sql`asc`} limit ${hiddenFromPlanner(limit + 1)}`;
}

export function sliceOf<T>(
  listing: ListTable,
  request: SliceRequest,
  rows: readonly ListRow[],
  recordOf: (row: ListRow) => T,
): Slice<T> {
  const column = orderColumn(listing, request);
  const shown = rows.slice(0, request.limit);
  if (request.backward) shown.reverse();
  const keyOf = (row: ListRow): Key => ({ value: row[column] as KeyValue, id: row[listing.id] as number });
  return new Slice(shown.map(recordOf), rows.length > request.limit, () => shown.map(keyOf));
}

/**
 * FROM clause that joins each parent `p` with its children `r`: SQLite by a limited list of ids (as `haveIds` does), others
 * laterally. `company` and `id` are columns of `table`; `ofParent` is SQL after FROM for children `t`, whose ids are in
 * `childId`.
 */
function childrenOfEach(
  parents: Sql,
  { table, company, id }: { table: Sql; company: string; id: string },
  companyId: number,
  childId: string,
  ofParent: Sql,
): Sql {
  const ownCompany = sql.ref(`r.${company}`);
  return sql`${parents} cross join ${portable(
    sql`${table} as r
        where (${ownCompany}, ${sql.ref(`r.${id}`)}) in (
          select ${hiddenFromPlanner(companyId)}, ${sql.ref(childId)} from`,
    sql`(select ${companyId}::bigint as id) as own cross join lateral (select t.* from`,
  )} ${ofParent}${portable(sql`)`, sql`) as r where ${ownCompany} = own.id`)}`;
}

interface PageQuery {
  /** Columns of the table `t`, which has the columns `company_id` and `id`. */
  readonly columns: Sql;
  readonly table: Sql;
  readonly where: Sql;
  readonly order: Sql;
  readonly limit: number;
}

/** The rows after the first `skip` ones. PostgreSQL would read those, so it finds the ids of the page first. */
export function pageOf({ columns, table, where, order, limit }: PageQuery, skip: number): Sql {
  const rest = sql`${table} as t where ${where} order by ${order} limit ${hiddenFromPlanner(limit)}`;
  if (skip === 0) return sql`select ${columns} from ${rest}`;
  return sql`${portable(sql`select ${columns} from`, sql`select ${columns} from (select t.company_id, t.id from`)}
    ${rest} offset ${hiddenFromPlanner(skip)}
    ${portable(
      sql``,
      sql`) as found join ${table} as t on t.company_id = found.company_id and t.id = found.id order by ${order}`,
    )}`;
}
