import { InputType, type ClassType } from 'type-graphql';

import type { Slice, SliceRequest } from '../../database/list/slice.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { enumeration } from './enumeration.js';
import { requestError } from './errors.js';
import { plural, words } from './node.js';
import {
  choice,
  decoratedClass,
  flag,
  int,
  listOf,
  nullable,
  object,
  objectType,
  text,
  type Lazy,
} from './object-type.js';

export const DEFAULT_FIRST = 30;
const MAX_FIRST = 100;

type Direction = OrderBy['direction'];
const OrderDirection = enumeration<Direction>('OrderDirection', 'Direction of an order.', {
  asc: 'Ascending: lowest, oldest or alphabetically first record first.',
  desc: 'Descending: highest, newest or alphabetically last record first.',
});

export interface PageInfoShape {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

const PageInfo = objectType<PageInfoShape>('PageInfo', 'Position of a page in its list.', {
  hasNextPage: flag('Whether the list has records after this page.'),
  hasPreviousPage: flag('Whether the list has records before this page.'),
  startCursor: nullable(text('Cursor of the first record of the page. Null for an empty page.')),
  endCursor: nullable(text('Cursor of the last record of the page. Null for an empty page.')),
});

/** Selects a page: `first` with `after` counts from the list's start, `last` with `before` from its end. */
export interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** The arguments of `PageArgs` in the schema. */
export const PAGE_ARGS = {
  first: nullable(
    int(
      `Page size, counted from the start of the list: 0 to ${MAX_FIRST}. Defaults to ${DEFAULT_FIRST}. Not together with \`last\`.`,
    ),
  ),
  after: nullable(
    text('Cursor (`endCursor` of the previous page): the page starts after it. Goes with `first`.'),
  ),
  last: nullable(
    int(`Page size, counted from the end of the list: 0 to ${MAX_FIRST}. Not together with \`first\`.`),
  ),
  before: nullable(
    text('Cursor (`startCursor` of the next page): the page ends before it. Goes with `last`.'),
  ),
};

/** Arguments that look up one record; exactly one must be given. Resources with unique names add more. */
export type Keys = Readonly<Record<string, string | number | null | undefined>>;

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PageInfoShape;
  readonly totalCount: number;
}

/** A page of which each field reads from the database only when it is selected. */
export type Connection<T> = Lazy<Page<T>>;

interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** The object types of a list's pages and of their edges. */
export function connectionOf<T extends object>(Record: ClassType<T>, name: string): ClassType<Page<T>> {
  const noun = words(name);
  const nouns = plural(noun);
  const EdgeType = objectType<Edge<T>>(`${name}Edge`, `One ${noun} of a page, with its cursor.`, {
    cursor: text('Opaque position in the list, for `after` and `before`.'),
    node: object(Record, `The ${noun}.`),
  });
  return objectType<Page<T>>(`${name}Connection`, `A page of a list of ${nouns}.`, {
    edges: listOf(object(EdgeType, `The ${nouns} of the page with their cursors.`)),
    nodes: listOf(object(Record, `The ${nouns} of the page.`)),
    pageInfo: object(PageInfo, 'Position of the page in the list.'),
    totalCount: int(`Number of ${nouns} on all pages. Counted only when selected.`),
  });
}

export interface OrderBy {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** Default order of lists. */
export const BY_ID: OrderBy = { field: 'ID', direction: 'asc' };

/** The input type that orders a list by one of its indexed columns. */
export function orderOf(name: string, fields: readonly string[]): ClassType {
  const nouns = plural(words(name));
  const OrderField = enumeration(
    `${name}OrderField`,
    `Fields that a list of ${nouns} can be ordered by.`,
    Object.fromEntries(fields.map((field) => [field, `By \`${shownName(field)}\`.`])),
  );
  const description = `Order of a list of ${nouns}. Ties are broken by \`databaseId\`.`;
  return decoratedClass(InputType(`${name}Order`, { description }), {
    field: choice(OrderField, 'Field to order by.'),
    direction: { ...choice(OrderDirection, 'Direction of the order.'), defaultValue: 'asc' },
  });
}

/** The field that an order is named after: `CREATED_AT` orders by `createdAt`. */
function shownName(order: string): string {
  const name = order.toLowerCase().replace(/_./g, (part) => part.slice(1).toUpperCase());
  return name === 'id' ? 'databaseId' : name;
}

/** The arguments of a list as a request to the database. */
export function sliceRequest(
  args: PageArgs & { orderBy?: OrderBy | null },
  condition: SliceRequest['condition'],
  standard: OrderBy,
): SliceRequest {
  const { first, last, after, before } = args;
  if (first != null && last != null) throw requestError('Give either first or last, not both.');
  const backward = last != null;
  if (backward ? after != null : before != null) {
    throw requestError('Give after only with first, and before only with last.');
  }
  const { field, direction } = args.orderBy ?? standard;
  const cursor = backward ? before : after;
  return {
    order: field,
    descending: direction === 'desc',
    backward,
    limit: limitOf(first ?? last ?? DEFAULT_FIRST),
    key: cursor == null ? null : decodeCursor(cursor, field),
    condition,
  };
}

function limitOf(limit: number): number {
  if (limit >= 0 && limit <= MAX_FIRST) return limit;
  throw requestError(`first and last take 0 to ${MAX_FIRST}, not ${limit}.`);
}

/**
 * A page whose records are read once, when `nodes`, `edges` or `pageInfo` is selected. A page of size 0 reads
 * none; its `pageInfo` still says whether the list has records. `rendered` is called with its nodes or edges.
 */
export function connection<T>(
  request: SliceRequest,
  load: () => Promise<Slice<T>>,
  count: () => Promise<number>,
  rendered: <E>(entries: readonly E[]) => readonly E[],
): Connection<T> {
  let loaded: Promise<Slice<T>> | undefined;
  const slice = (): Promise<Slice<T>> => (loaded ??= load());
  const items = async (): Promise<Slice<T>['items']> => (request.limit === 0 ? [] : (await slice()).items);
  return {
    nodes: async () => rendered((await items()).map((item) => item.record)),
    edges: async () =>
      rendered(
        (await items()).map(({ record, key }) => ({
          cursor: encodeCursor(request.order, key),
          node: record,
        })),
      ),
    pageInfo: async () => pageInfo(request, await slice()),
    totalCount: count,
  };
}

export function pageInfo<T>(request: SliceRequest, slice: Slice<T>): PageInfoShape {
  const cursorAt = (index: number): string | null => {
    const item = slice.items.at(index);
    return item === undefined ? null : encodeCursor(request.order, item.key);
  };
  const started = request.key !== null;
  return {
    hasNextPage: request.backward ? started : slice.hasMore,
    hasPreviousPage: request.backward ? slice.hasMore : started,
    startCursor: cursorAt(0),
    endCursor: cursorAt(-1),
  };
}
