import { sql, type RawBuilder } from 'kysely';

import type { Row, Tables } from '../../schema/schema.js';
import { idsIn, idsOf } from '../bound-lists.js';
import { runCached } from '../statements.js';
import { hiddenFromPlanner, indexedBy } from '../storage.js';
import type { ReadWork, SystemReadWork } from '../work.js';
import { condition, type Condition, type FilterKind } from './condition.js';
import {
  isDown,
  type KeyValue,
  type LinkRelation,
  type Listing,
  type ListTable,
  nameOf,
  ofCompany,
  parentTable,
  type SliceRequest,
  childColumn,
  tableWith,
} from './listing.js';

interface Linked<P extends KeyValue> {
  readonly list: ListTable;
  readonly relation: LinkRelation;
  readonly parents: readonly P[];
  /** Request in the order of the ids, without a condition. */
  readonly request: SliceRequest;
  /** Columns to read, including the id. */
  readonly columns: readonly string[];
  /** Name of the list and its columns. */
  readonly key: string;
}

interface Ids<P> {
  readonly parent_id: P;
  readonly ids: string;
}

/**
 * The rows of each parent in the order of their ids; one more than the limit of the request if there are more.
 * Many parents may share a row, so the statement first collects the ids of each page, as a JSON list for each
 * parent, and then reads each row once.
 */
export async function readLinked<R extends object, P extends KeyValue>(
  work: ReadWork,
  linked: Linked<P>,
): Promise<ReadonlyMap<P, readonly R[]>> {
  const { list, relation, parents, request, columns, key } = linked;
  const { companyId } = work.caller;
  const after = request.key === null ? [] : [request.key.id];
  const found = await runCached<Ids<P> | (R & { readonly parent_id: null })>(
    work.db,
    [key, 'linked', nameOf(relation), isDown(request), after.length].join(' '),
    [companyId, ...after, request.limit + 1, JSON.stringify(parents), companyId],
    () => sql`with pages as materialized (
        select p.value as parent_id, ${idsOf(sql`select ${childOf(relation)} as id ${pageOf(work, linked)}`)} as ids
        from ${parentTable(relation, parents)})
      select parent_id, ids, ${sql.join(columns.map((column) => sql`null as ${sql.ref(column)}`))} from pages
      union all
      select null, null, ${sql.join(columns.map((column) => sql.ref(`t.${column}`)))} from ${tableWith(list.table, columns)} as t
      where ${ofCompany(list, work, null)} and ${sql.ref(`t.${list.id}`)} in (${idsIn('pages', 'ids')})`,
  );
  const rows = new Map<unknown, R>();
  const pages: Ids<P>[] = [];
  for (const row of found) {
    if (row.parent_id === null) rows.set((row as Record<string, unknown>)[list.id], row as R);
    else pages.push(row as Ids<P>);
  }
  const sign = isDown(request) ? -1 : 1;
  return new Map(
    pages.map(({ parent_id: parent, ids }) => {
      // Databases return JSON lists in undefined order.
      const sorted = (JSON.parse(ids) as number[]).sort((a, b) => sign * (a - b));
      const own: R[] = [];
      for (const id of sorted) {
        const row = rows.get(id);
        if (row !== undefined) own.push(row);
      }
      return [parent, own];
    }),
  );
}

const childOf = (relation: LinkRelation): RawBuilder<unknown> => sql.ref(`l.${childColumn(relation)}`);

/** FROM and the rest of the statement, for the links of a page. */
function pageOf(work: ReadWork, { relation, request }: Linked<KeyValue>): RawBuilder<unknown> {
  const child = childOf(relation);
  const beyond =
    request.key === null
      ? sql``
      : sql`and ${child} ${isDown(request) ? sql`<` : sql`>`} ${hiddenFromPlanner(request.key.id)}`;
  return sql`from ${sql.table(relation.link)} as l
    where l.company_id = ${hiddenFromPlanner(work.caller.companyId)} and ${sql.ref(`l.${relation.parent}`)} = p.value
      ${beyond}
    order by ${child} ${isDown(request) ? sql`desc` : sql`asc`} limit ${hiddenFromPlanner(request.limit + 1)}`;
}

/** A record of another list, whose id is in a column of the rows or of a record joined before. */
export interface JoinedOne {
  /** Columns of the joined record are properties of the rows: `j1_email` for the column `email` of the alias `j1`. */
  readonly alias: string;
  readonly table: keyof Tables;
  readonly id: string;
  readonly company: string;
  readonly columns: readonly string[];
  /** Alias of the joined record that has the reference; null for the rows themselves. */
  readonly of: string | null;
  readonly reference: string;
}

/** Part of the name of a query, different for each way of joining. */
const nameOfJoined = ({ alias, table, columns, of, reference }: JoinedOne): string =>
  `${alias} ${table} ${columns.join()} ${of ?? ''} ${reference}`;

function joinedColumns({ alias, columns }: JoinedOne): readonly RawBuilder<unknown>[] {
  return columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} as ${sql.ref(`${alias}_${column}`)}`);
}

/** `ownCompany` is the column with the company of the rows themselves, `t`. */
function joinOf(
  { alias, table, id, company, columns, of, reference }: JoinedOne,
  ownCompany: string,
): RawBuilder<unknown> {
  return sql`left join ${tableWith(table, columns)} as ${sql.table(alias)} on ${sql.ref(`${alias}.${company}`)} = ${sql.ref(`t.${ownCompany}`)}
    and ${sql.ref(`${alias}.${id}`)} = ${sql.ref(`${of ?? 't'}.${reference}`)}`;
}

interface Joining {
  readonly list: ListTable;
  /** Name of the list, for the names of queries. */
  readonly key: string;
  readonly selected: RawBuilder<unknown>;
  /** Columns that `selected` uses. */
  readonly used: readonly string[];
  readonly id: number;
  readonly joined: readonly JoinedOne[];
}

/** A row of a list by its id, with the joined columns. */
export async function readJoined<R>(
  work: ReadWork,
  { list, key, selected, used, id, joined }: Joining,
): Promise<R | undefined> {
  const rows = await runCached<R>(
    work.db,
    [key, 'by id', ...joined.map(nameOfJoined)].join(),
    [work.caller.companyId, id],
    () => sql`select ${sql.join([selected, ...joined.flatMap(joinedColumns)])} from ${tableWith(list.table, used)} as t
      ${sql.join(
        joined.map((one) => joinOf(one, list.company ?? 'company_id')),
        sql` `,
      )}
      where ${ofCompany(list, work, null)} and ${sql.ref(`t.${list.id}`)} = ${hiddenFromPlanner(id)}`,
  );
  return rows[0];
}

/**
 * Ids of a company in a table. Only one transaction of a company writes at a time, so its ids become visible
 * in ascending order: a reader that has read up to `last` has missed no row with a lower id.
 */
export interface IdSpan {
  /** The lowest id that exists; `last + 1` if the table is empty. */
  readonly first: number;
  /** The highest id ever drawn for the company, even if its row was deleted. */
  readonly last: number;
}

/** Range of ids greater than `after`, up to `upTo`; at most `limit` records that meet the condition. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly condition: Condition | null;
}

export interface NewRows<T> {
  readonly name: string;
  readonly filters: Readonly<Record<string, FilterKind>>;
  span(work: SystemReadWork, companyId: number): Promise<IdSpan>;
  /** The company's records in the range, ascending by id. Scans at most as many rows as the range has ids. */
  read(work: ReadWork, range: IdRange): Promise<readonly T[]>;
}

/** `index` is the name of the index over the company and the id. */
export function newRowsOf<Name extends keyof Tables, T>(
  { name, table, id, filters, recordOf }: Listing<Name, T>,
  index: string,
): NewRows<T> {
  const column = sql.ref(`t.${id}`);
  return {
    name,
    filters: Object.fromEntries(Object.entries(filters).map(([field, { kind }]) => [field, kind])),
    span: async (work, companyId) => {
      const { rows } = await sql<{ first: number | null; last: number | null }>`select
        (select ${column} from ${sql.table(table)} as t where t.company_id = ${companyId}
          order by ${column} limit 1) as first,
        (select last_drawn from counters where company_id = ${companyId} and name = ${table}) as last`.execute(
        work.db,
      );
      const last = rows[0]?.last ?? 0;
      return { first: rows[0]?.first ?? last + 1, last };
    },
    read: async (work, { after, upTo, limit, condition: where }) => {
      const { rows } = await sql<Row<Name>>`select t.* from ${indexedBy(table, 't', index)}
        where t.company_id = ${work.caller.companyId} and ${column} > ${after} and ${column} <= ${upTo}
          ${where === null ? sql`` : sql`and ${condition(filters, where)}`}
        order by ${column} limit ${limit}`.execute(work.db);
      return rows.map(recordOf);
    },
  };
}
