import type { GraphQLError } from 'graphql';

import type { ChildList, List } from '../../database/list/list.js';
import {
  EMPTY_SLICE,
  type Key,
  type KeyValue,
  type Slice,
  type SliceRequest,
} from '../../database/list/listing.js';
import { parsedJson } from '../../platform/validate.js';
import type { OrderBy, Searches } from './declared.js';
import { requestError } from './errors.js';
import { conditionOf, type FilteredList, type FilterInput } from './filter.js';
import type { Lazy } from './types.js';

export const DEFAULT_FIRST = 30;
export const MAX_FIRST = 100;

const BY_ID: OrderBy = { field: 'ID', direction: 'asc' };

/** Arguments of a list. `first` with `after` counts from its start, `last` with `before` from its end. */
export interface ListArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly orderBy?: OrderBy | null;
  readonly filter?: FilterInput | null;
}

/** Arguments that look up one record; exactly one must be given. Resources with unique names add more. */
export type Keys = Readonly<Record<string, string | number | null | undefined>>;

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PageInfoShape;
  readonly totalCount: number;
}

export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

export interface PageInfoShape {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** A page of which each field reads from the database only when it is selected. */
export type Connection<T> = Lazy<Page<T>>;

export function sliceRequest(
  list: FilteredList,
  { first, last, after, before, orderBy, filter }: ListArgs,
  standard: OrderBy = BY_ID,
): SliceRequest {
  const condition = conditionOf(list, filter);
  if (first != null && last != null) throw requestError('Give either first or last, not both.');
  const backward = last != null;
  if (backward ? after != null : before != null) {
    throw requestError('Give after only with first, and before only with last.');
  }
  const { field, direction } = orderBy ?? standard;
  const page = pageRequest(field, first ?? last, backward ? before : after);
  return { ...page, descending: direction === 'desc', backward, condition };
}

/** Request of a page from the start of a list; `values` matches the values of keys. Errors: BAD_USER_INPUT for a bad page size or cursor. */
export function pageRequest(
  order: string,
  first: ListArgs['first'],
  after: ListArgs['after'],
  values?: RegExp,
): SliceRequest {
  const limit = first ?? DEFAULT_FIRST;
  if (limit < 0 || limit > MAX_FIRST) {
    throw requestError(`first and last take 0 to ${MAX_FIRST}, not ${limit}.`);
  }
  const key = after == null ? null : decodeCursor(after, order);
  if (key !== null && values?.test(String(key.value)) === false) throw notACursor();
  return { order, descending: false, backward: false, limit, key, condition: null };
}

export function searchesOf<T, P extends KeyValue>(
  source: List<T> | ChildList<T, P>,
  standard?: OrderBy,
): Searches<ListArgs> {
  return (args, { page, total }) => {
    if ('list' in source) {
      const request = sliceRequest(source.list, args, standard);
      return [
        page ? source.searchOfSlices(request) : null,
        total ? source.searchOfCounts(request.condition) : null,
      ];
    }
    const request = sliceRequest(source, args, standard);
    return [
      page ? source.searchOfSlice(request) : null,
      total ? source.searchOfCount(request.condition) : null,
    ];
  };
}

/** A page, read once when `nodes`, `edges` or `pageInfo` is selected; if its size is 0, only for `pageInfo`. */
export function connection<T>(
  request: SliceRequest,
  load: () => Promise<Slice<T>>,
  count: () => Promise<number>,
  rendered: <E>(entries: readonly E[]) => Promise<readonly E[]>,
): Connection<T> {
  let loaded: Promise<Slice<T>> | undefined;
  const slice = (): Promise<Slice<T>> => (loaded ??= load());
  const shown = async (): Promise<Slice<T>> => (request.limit === 0 ? EMPTY_SLICE : await slice());
  return {
    nodes: async () => rendered((await shown()).records),
    edges: async () => {
      const items = (await shown()).items;
      return rendered(
        items.map(({ record, key }) => ({ cursor: encodeCursor(request.order, key), node: record })),
      );
    },
    pageInfo: async () => pageInfo(request, await slice()),
    totalCount: count,
  };
}

export function pageInfo<T>(request: SliceRequest, slice: Slice<T>): PageInfoShape {
  const cursorOf = (key: Key | undefined): string | null =>
    key === undefined ? null : encodeCursor(request.order, key);
  const started = request.key !== null;
  return {
    hasNextPage: request.backward ? started : slice.hasMore,
    hasPreviousPage: request.backward ? slice.hasMore : started,
    startCursor: cursorOf(slice.items[0]?.key),
    endCursor: cursorOf(slice.items.at(-1)?.key),
  };
}

/** A record's order, value in that order, and id: base64url of `["SERIAL_NUMBER","SN-0042",17]`. */
export function encodeCursor(order: string, key: Key): string {
  return Buffer.from(JSON.stringify([order, key.value, key.id])).toString('base64url');
}

/** The key in a cursor. Refuses a text that is not a cursor, and a cursor of a list in another order. */
export function decodeCursor(text: string, order: string): Key {
  const parts = parsedJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || parts.length !== 3) throw notACursor();
  const [ofOrder, value, id] = parts as unknown[];
  if (ofOrder !== order) {
    throw requestError(`This cursor belongs to another order of the list; this one is ordered by ${order}.`);
  }
  if ((typeof value !== 'string' && !Number.isFinite(value)) || !Number.isSafeInteger(id)) {
    throw notACursor();
  }
  return { value: value as string | number, id: id as number };
}

function notACursor(): GraphQLError {
  return requestError(
    'This is not a cursor of this list. Pass endCursor or startCursor of one of its pages.',
  );
}
