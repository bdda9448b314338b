/**
 * Pages of linked rows in the order of their ids. Many parents may share a row, so one statement first
 * collects the ids of each page, as a JSON list for each parent, and then reads each row once.
 */
import { sql, type RawBuilder } from 'kysely';

import { idsIn, idsOf } from '../bound-lists.js';
import { runCached } from '../statements.js';
import { hiddenFromPlanner } from '../storage.js';
import type { ReadWork } from '../work.js';
import { tableWith } from './companions.js';
import { nameOf, ofCompany, parentTable, type LinkRelation, type ListTable } from './scope.js';
import { isDown, type KeyValue, type SliceRequest } from './slice.js';

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

/** The rows of each parent, in the order of the request; one more than its limit if there are more. */
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
  return new Map(pages.map((page) => [page.parent_id, rowsOf(page, request, rows)]));
}

function rowsOf<R>(
  { ids }: Ids<KeyValue>,
  request: SliceRequest,
  rows: ReadonlyMap<unknown, R>,
): readonly R[] {
  const own: R[] = [];
  for (const id of inOrder(JSON.parse(ids) as number[], request)) {
    const row = rows.get(id);
    if (row !== undefined) own.push(row);
  }
  return own;
}

const childOf = ({ child }: LinkRelation): RawBuilder<unknown> => sql.ref(`l.${child}`);

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

/** Sorts ids, because the database returns lists in undefined order. */
function inOrder(ids: number[], request: SliceRequest): number[] {
  const sign = isDown(request) ? -1 : 1;
  return ids.sort((a, b) => sign * (a - b));
}
