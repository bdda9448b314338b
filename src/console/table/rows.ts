import { useCallback, useEffect, useEffectEvent, useMemo, useReducer, useRef } from 'react';
import type { CombinedError, OperationResult } from 'urql';

import { onChanges, type EntityType } from '../api/changes';
import { client } from '../api/client';
import type { Document } from '../api/query';

/** One page of a list, as documents select it. */
export interface Connection<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
  /** Selected with `@include(if: $count)`: the first page counts, the others do not. */
  readonly totalCount?: number;
}

/** A list of the API. Its document has the variables `first`, `after`, `filter`, `orderBy` and `count`. */
export interface ListSource<Data, Row> {
  readonly document: Document<Data, never>;
  /** The list in the response, where it is not the only one. */
  readonly connection?: (data: Data) => Connection<Row> | null | undefined;
  readonly follows: readonly EntityType[];
  /** Further variables of the document, such as the id of the record that has the list. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** A row of the list that a response has, at whatever depth: `{ viewer: { company: { members: { nodes } } } }`. */
type RowOf<Data> =
  Data extends Connection<infer Row> ? Row : Data extends object ? RowOf<Data[keyof Data]> : never;

export type ListRow<Data> = RowOf<Data> & { readonly id: string };

function connectionIn<Row>(data: unknown): Connection<Row> | null {
  if (typeof data !== 'object' || data === null) return null;
  if ('pageInfo' in data) return data as Connection<Row>;
  return (
    Object.values(data)
      .map(connectionIn<Row>)
      .find(Boolean) ?? null
  );
}

export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** Records that match, on all pages; null until the first response. */
  readonly total: number | null;
  readonly error: CombinedError | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Loads what is missing up to this row, and `AHEAD` rows more. */
  readonly show: (start: number, end: number) => void;
  readonly reload: () => void;
}

const PAGE_ROWS = 100;
/** Rows that are loaded before they are on screen. */
const AHEAD = 150;

interface Page<Row> {
  readonly nodes: readonly Row[];
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

/** Rows of a list as they are scrolled to, page after page by cursor, and those on screen again after changes. */
export function useRows<Data, Row>(
  source: ListSource<Data, Row>,
  filter: object,
  orderBy: object | null,
): Rows<Row> {
  const variables = JSON.stringify({ filter, orderBy });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const list = useRef(new LoadedList(source, variables, redraw));
  if (!list.current.isOf(variables)) {
    list.current.stop();
    list.current = new LoadedList(source, variables, redraw);
  }
  const current = list.current;
  useEffect(() => {
    current.begin();
    return () => current.stop();
  }, [current]);
  const onChange = useEffectEvent(() => list.current.refresh());
  const types = source.follows.join();
  useEffect(() => {
    if (types === '') return undefined;
    return onChanges(types.split(',') as EntityType[], onChange);
  }, [types]);
  const show = useCallback((start: number, end: number) => current.show(start, end), [current]);
  const reload = useCallback(() => current.refresh(), [current]);
  const { pages } = current;
  const rows = useMemo(() => pages.flatMap(({ nodes }) => nodes), [pages]);
  const { total, error, isLoading, hasMore } = current;
  return { rows, total, error, isLoading, hasMore, show, reload };
}

class LoadedList<Data, Row> {
  pages: readonly Page<Row>[] = [];
  total: number | null = null;
  error: CombinedError | null = null;
  #loading = 0;
  #isStopped = false;
  #first = 0;
  #last = 0;

  constructor(
    private readonly source: ListSource<Data, Row>,
    private readonly variables: string,
    private readonly redraw: () => void,
  ) {}

  get isLoading(): boolean {
    return this.#loading > 0;
  }

  get hasMore(): boolean {
    return this.pages.at(-1)?.hasNextPage ?? false;
  }

  isOf(variables: string): boolean {
    return this.variables === variables;
  }

  begin(): void {
    this.#isStopped = false;
    if (this.pages.length === 0) void this.#load(0);
  }

  stop(): void {
    this.#isStopped = true;
  }

  show(start: number, end: number): void {
    this.#first = Math.floor(start / PAGE_ROWS);
    this.#last = Math.floor(end / PAGE_ROWS);
    if (
      this.hasMore &&
      !this.isLoading &&
      this.error === null &&
      end + AHEAD > this.pages.length * PAGE_ROWS
    ) {
      void this.#load(this.pages.length);
    }
  }

  /** Loads the pages on screen again, and the total. Rows that come before them do not move them. */
  refresh(): void {
    this.error = null;
    const last = Math.min(this.#last, this.pages.length - 1);
    if (this.#first > 0) void this.#count();
    for (let index = this.#first; index <= Math.max(last, 0); index += 1) void this.#load(index);
  }

  async #count(): Promise<void> {
    const { data } = await this.#ask({ first: 0, count: true });
    const connection = this.#connectionOf(data);
    if (this.#isStopped || connection?.totalCount === undefined) return;
    this.total = connection.totalCount;
    this.redraw();
  }

  async #load(index: number): Promise<void> {
    this.#loading += 1;
    const after = index === 0 ? null : (this.pages[index - 1]?.endCursor ?? null);
    const { data, error } = await this.#ask({ first: PAGE_ROWS, after, count: index === 0 });
    this.#loading -= 1;
    if (this.#isStopped) return;
    const connection = this.#connectionOf(data);
    if (error && !connection) this.error = error;
    if (connection) this.#take(index, connection);
    this.redraw();
  }

  #connectionOf(data: Data | undefined): Connection<Row> | null | undefined {
    const { connection = connectionIn<Row> } = this.source;
    return data && connection(data);
  }

  #ask(page: { first: number; after?: string | null; count: boolean }): Promise<OperationResult<Data>> {
    const { filter, orderBy } = JSON.parse(this.variables) as { filter: object; orderBy: object | null };
    const { first, after, count } = page;
    const variables = {
      ...this.source.variables,
      first,
      count,
      ...(typeof after === 'string' && { after }),
      ...(Object.keys(filter).length > 0 && { filter }),
      ...(orderBy && { orderBy }),
    };
    return client.query<Data>(this.source.document.toString(), variables).toPromise();
  }

  #take(index: number, { nodes, pageInfo, totalCount }: Connection<Row>): void {
    this.error = null;
    if (totalCount !== undefined) this.total = totalCount;
    const page = { nodes, endCursor: pageInfo.endCursor ?? null, hasNextPage: pageInfo.hasNextPage };
    const before = this.pages[index];
    // A page that ends elsewhere than before no longer fits those after it.
    const fits = before !== undefined && before.endCursor === page.endCursor && page.hasNextPage;
    const rest = fits ? this.pages.slice(index + 1) : [];
    this.pages = [...this.pages.slice(0, index), page, ...rest];
  }
}
