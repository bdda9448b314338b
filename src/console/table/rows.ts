import { useEffect, useReducer, useState } from 'react';
import type { CombinedError } from 'urql';

import type { EntityType, UpdatedIds } from '../api/changes';
import { client, REFRESH } from '../api/client';
import { kindOf, listQuery, typeOf } from '../api/documents';
import { useReload, type Fragment } from '../api/query';
import { filteredById, orderFields, type FilterFields } from '../gql/schema';
import type { Filter } from './filter';

/** One page of a list, as documents select it. */
interface Connection<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
  /** Selected with `@include(if: $count)`: the first page counts, the others do not. */
  readonly totalCount?: number;
}

/** Type of the records that the rows are of: `Device`. */
type TypeOf<Row> = Row extends { readonly __typename?: infer Type } ? Type : never;

/** Field of the filter that the list of such rows takes. */
export type FilterName<Row> = FilterFields[TypeOf<Row> & keyof FilterFields];

/** Order of the list of such rows, with a minus for the descending direction: `-STARTED_AT`. */
export type Sort<Row> = `${'' | '-'}${(typeof orderFields)[TypeOf<Row> & keyof typeof orderFields][number]}`;

/** A list of the API. Its text has the variables `first`, `after`, `filter`, `orderBy` and `count`. */
export interface ListSource<Row> {
  readonly text: string;
  readonly follows: readonly EntityType[];
  /** True if the list can be filtered by the ids of its rows. */
  readonly canLoadRows: boolean;
  /** Fields of the API by which the list can be sorted: `CREATED_AT`. */
  readonly orders?: readonly string[];
  /** True if rows have the ids of their devices, and filters values in place of comparators: `{ state: FAILED }`. */
  readonly isOfDevices?: boolean;
  /** Further variables, such as the id of the record that has the list. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Type of the rows; the property is never there. */
  readonly row?: Row;
}

/** All records of a type. They are loaded again when they, or records of the types in `follows`, change. */
export function listOf<Row>(fragment: Fragment<Row>, ...follows: readonly EntityType[]): ListSource<Row> {
  const text = fragment.toString();
  const orders = orderFields[typeOf(text) as keyof typeof orderFields];
  const canLoadRows = filteredById.includes(typeOf(text));
  return { text: listQuery(text), follows: [kindOf(text) as EntityType, ...follows], orders, canLoadRows };
}

/** The records of a type that are a part of the record with this id, such as the deliveries of a notification. */
export const listIn = <Row>(
  id: string,
  fragment: Fragment<Row>,
  ...follows: readonly EntityType[]
): ListSource<Row> => ({ ...listOf(fragment, ...follows), canLoadRows: false, variables: { id } });

/** Terminals of an app version. */
export const terminalsIn = <Row>(id: string, fragment: Fragment<Row>) =>
  ({ ...listIn(id, fragment, 'APP_VERSION'), isOfDevices: true }) as ListSource<
    Row & { readonly id: string }
  >;

const valuesOf = (filter: Filter): object =>
  Object.fromEntries(Object.entries(filter).map(([name, { eq }]) => [name, eq]));

const withId = <Row>(row: Row): Row => ({
  ...row,
  id: (row as { readonly device?: { readonly id: string } }).device?.id,
});

const idOf = (row: unknown): string => (row as { readonly id?: string }).id ?? '';

function connectionIn<Row>(data: unknown): Connection<Row> | null {
  if (typeof data !== 'object' || data === null) return null;
  if ('pageInfo' in data) return data as Connection<Row>;
  return (
    Object.values(data)
      .map(connectionIn<Row>)
      .find(Boolean) ?? null
  );
}

const PAGE_ROWS = 100;
/** Rows that are loaded before they are on screen. */
const AHEAD = 150;

/** Rows of a list as they are scrolled to, page after page by cursor, and those on screen again after changes. */
export function useRows<Row>(source: ListSource<Row>, filter: object, orderBy: object | null): Rows<Row> {
  const variables = JSON.stringify({ filter, orderBy });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [list, setList] = useState(() => new Rows(source, variables, redraw));
  if (list.variables !== variables) setList(new Rows(source, variables, redraw));
  useEffect(() => list.begin(), [list]);
  useReload(source.follows, list.error, list.refresh);
  return list;
}

export class Rows<Row> {
  all: readonly Row[] = [];
  /** Records that match, on all pages; null until the first response. */
  total: number | null = null;
  error: CombinedError | null = null;
  isLoading = false;
  #pages: readonly Connection<Row>[] = [];
  #isStopped = false;
  /** True if records have changed since what is shown was loaded. */
  #isOld = false;
  /** True if it is loaded since records have changed, and not since a person asked for it. */
  #isRefresh = false;
  /** Requests for pages below those on screen that changes made necessary; `reload` has not returned them yet. */
  #further = 0;
  /** Rows on screen. */
  #start = 0;
  #end = 0;

  constructor(
    readonly source: ListSource<Row>,
    readonly variables: string,
    private readonly redraw: () => void,
  ) {}

  get hasMore(): boolean {
    return this.#pages.at(-1)?.pageInfo.hasNextPage ?? false;
  }

  /** Loads the first page. Returns how to end that. */
  begin(): () => void {
    this.#isStopped = false;
    if (this.#pages.length === 0) this.reload();
    return () => {
      this.#isStopped = true;
    };
  }

  /** Loads what is missing up to this row, and `AHEAD` rows more. */
  readonly show = (start: number, end: number): void => {
    if (end !== this.#end) this.#isRefresh = false;
    this.#start = start;
    this.#end = end;
    void this.#load();
  };

  /** Loads the pages on screen again, and the total. */
  readonly reload = (): void => void this.#reload(false);

  /**
   * Does so by itself, or loads only the rows that were updated, if the others stay as they are. Returns the number of
   * requests, with those of the time before.
   */
  readonly refresh = (updated: UpdatedIds): number => {
    const isMany = updated === null || updated.size === 0 || updated.size > PAGE_ROWS;
    if (isMany || !this.source.canLoadRows || this.isLoading) return this.#reload(true);
    void this.#loadUpdated(updated);
    return 1;
  };

  /** Loads rows that were updated. If one moved, came or went, loads the pages on screen again. */
  async #loadUpdated(updated: ReadonlySet<string>): Promise<void> {
    const pages = this.#pages;
    this.isLoading = true;
    this.#isRefresh = true;
    const found = await this.#ask(null, updated.size, [...updated]);
    this.isLoading = false;
    if (this.#isStopped) return;
    const rows = new Map(found?.nodes.map((row) => [idOf(row), row]));
    const stays = (row: Row): boolean =>
      !updated.has(idOf(row)) || this.#hasSamePlace(row, rows.get(idOf(row)));
    const shown = new Set(this.all.map(idOf));
    const isFiltered = !this.variables.startsWith('{"filter":{},');
    // A row that is not on these pages may have come or gone.
    const isElsewhere = isFiltered && [...updated].some((id) => !shown.has(id));
    if (found === null || this.#isOld || this.#pages !== pages || isElsewhere || !this.all.every(stays)) {
      this.#reload(true);
      return;
    }
    const nodesOf = ({ nodes }: Connection<Row>) => nodes.map((row) => rows.get(idOf(row)) ?? row);
    this.#setPages(pages.map((page) => ({ ...page, nodes: nodesOf(page) })));
    // Draws, and loads what was scrolled to meanwhile.
    await this.#load();
  }

  /** False if the row is gone, or may have moved: it has another value in the order of the list. */
  #hasSamePlace(before: Row, after: Row | undefined): boolean {
    if (after === undefined) return false;
    const { orderBy } = JSON.parse(this.variables) as { orderBy: { readonly field: string } | null };
    if (orderBy === null) return true;
    const words = orderBy.field.toLowerCase();
    const name = words.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const [one, other] = [before, after].map((row) => (row as Readonly<Record<string, unknown>>)[name]);
    return one !== undefined && one === other;
  }

  #reload(isRefresh: boolean): number {
    this.#isOld = true;
    this.#isRefresh = isRefresh;
    const further = this.#further;
    this.#further = 0;
    void this.#load();
    const { first, last } = this.#shown();
    return further + last - first + (first > 0 ? 2 : 1);
  }

  /** Pages on screen. */
  #shown(): { readonly first: number; readonly last: number } {
    const last = Math.max(0, Math.min(Math.floor(this.#end / PAGE_ROWS), this.#pages.length - 1));
    return { first: Math.min(Math.floor(this.#start / PAGE_ROWS), last), last };
  }

  /** Loads what is missing, one page after another, since each begins where the one before ends. */
  async #load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    let isRefreshed = false;
    while (this.#isOld || this.#isShort()) {
      if (this.#isOld) isRefreshed = true;
      else if (isRefreshed) this.#further += 1;
      const isDone = await (this.#isOld ? this.#loadShown() : this.#loadNext());
      if (!isDone || this.#isStopped) break;
      this.redraw();
    }
    this.isLoading = false;
    if (!this.#isStopped) this.redraw();
  }

  #isShort(): boolean {
    return this.hasMore && this.error === null && this.#end + AHEAD > this.#pages.length * PAGE_ROWS;
  }

  #setPages(pages: readonly Connection<Row>[]): void {
    this.#pages = pages;
    this.all = pages.flatMap(({ nodes }) => nodes);
  }

  async #loadNext(): Promise<boolean> {
    const page = await this.#ask(this.#pages.at(-1)?.pageInfo.endCursor);
    if (page) this.#setPages([...this.#pages, page]);
    return page !== null;
  }

  /** Puts new pages in place of those on screen when all of them are there. Rows before them do not move them. */
  async #loadShown(): Promise<boolean> {
    this.#isOld = false;
    const { first, last } = this.#shown();
    const shown: Connection<Row>[] = [];
    let after = this.#pages[first - 1]?.pageInfo.endCursor;
    for (let index = first; index <= last; index += 1) {
      const page = await this.#ask(after);
      if (!page) return false;
      shown.push(page);
      after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) break;
    }
    if (first > 0) await this.#ask(undefined, 0);
    // Pages that follow still do if the last one ends where it ended before.
    const { hasNextPage, endCursor } = shown.at(-1)?.pageInfo ?? {};
    const fits = hasNextPage && endCursor === this.#pages[last]?.pageInfo.endCursor;
    const following = fits === true ? this.#pages.slice(last + 1) : [];
    this.#setPages([...this.#pages.slice(0, first), ...shown, ...following]);
    return true;
  }

  /** A page; null if the request failed, or the list is gone. The first one also brings the total. */
  async #ask(
    after: string | null | undefined,
    first = PAGE_ROWS,
    ids: readonly string[] = [],
  ): Promise<Connection<Row> | null> {
    const { isOfDevices = false } = this.source;
    const { filter: own, orderBy } = JSON.parse(this.variables) as { filter: Filter; orderBy: object | null };
    const isAll = Object.keys(own).length === 0;
    const filter = ids.length === 0 ? own : { ...(!isAll && { and: [own] }), id: { in: ids } };
    const variables = {
      ...this.source.variables,
      first,
      count: after === undefined,
      ...(after != null && { after }),
      ...(Object.keys(filter).length > 0 && { filter: isOfDevices ? valuesOf(own) : filter }),
      ...(orderBy && { orderBy }),
    };
    const { data, error } = await client
      .query<unknown>(this.source.text, variables, this.#isRefresh ? REFRESH : {})
      .toPromise();
    const connection = connectionIn<Row>(data);
    this.error = connection ? null : (error ?? null);
    if (!connection) return null;
    this.total = connection.totalCount ?? this.total;
    return isOfDevices ? { ...connection, nodes: connection.nodes.map(withId) } : connection;
  }
}
