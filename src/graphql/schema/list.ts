import type { ClassType } from 'type-graphql';

import type { List } from '../../database/list/list.js';
import type { OrderBy } from './declared.js';
import { filterOf, type FilterInput } from './filter.js';
import type { Enums } from './input.js';
import { plural, words } from './node.js';
import { DEFAULT_FIRST, MAX_FIRST, type Edge, type Page, type PageInfoShape } from './page.js';
import {
  choice,
  enumeration,
  flag,
  inputType,
  int,
  object,
  objectType,
  text,
  type Enumeration,
  type Fields,
} from './types.js';

/** A list with the schema's types for its records and its pages, and with its arguments. */
export interface ListTypes<T extends object> {
  readonly list: List<T>;
  readonly Record: ClassType<T>;
  readonly Connection: ClassType<Page<T>>;
  readonly args: Fields;
  readonly Filter: ClassType<FilterInput>;
  readonly enums: Enums;
}

/** The enums of properties of `T`; an enum of another property does not compile. */
type EnumsOf<T> = { readonly [K in keyof T]?: Enumeration<T[K] & string> };

/** Types from the orders and filters of a list. `others` are enums of filters that compare no property of a record. */
export function listTypes<T extends object>(
  list: List<T>,
  Record: ClassType<T>,
  enums: EnumsOf<T> = {},
  others: Enums = {},
): ListTypes<T> {
  const known = { ...(enums as Enums), ...others };
  const Filter = filterOf(list, known);
  const args = {
    ...PAGE_ARGS,
    orderBy: object.orNull(orderOf(list.name, list.orders), 'Order of the list.'),
    filter: object.orNull(Filter, 'Only records for which this holds.'),
  };
  return { list, Record, Connection: connectionOf(Record, list.name), args, Filter, enums: known };
}

const PAGE_ARGS = {
  first: int.orNull(
    `Page size, counted from the start of the list: 0 to ${MAX_FIRST}. Defaults to ${DEFAULT_FIRST}. Not together with \`last\`.`,
  ),
  after: text.orNull(
    'Cursor (`endCursor` of the previous page): the page starts after it. Goes with `first`.',
  ),
  last: int.orNull(
    `Page size, counted from the end of the list: 0 to ${MAX_FIRST}. Not together with \`first\`.`,
  ),
  before: text.orNull('Cursor (`startCursor` of the next page): the page ends before it. Goes with `last`.'),
};

const PageInfo = objectType<PageInfoShape>('PageInfo', 'Position of a page in its list.', {
  hasNextPage: flag('Whether the list has records after this page.'),
  hasPreviousPage: flag('Whether the list has records before this page.'),
  startCursor: text.orNull('Cursor of the first record of the page. Null for an empty page.'),
  endCursor: text.orNull('Cursor of the last record of the page. Null for an empty page.'),
});

function connectionOf<T extends object>(Record: ClassType<T>, name: string): ClassType<Page<T>> {
  const noun = words(name);
  const nouns = plural(noun);
  const EdgeType = objectType<Edge<T>>(`${name}Edge`, `One ${noun} of a page, with its cursor.`, {
    cursor: text('Opaque position in the list, for `after` and `before`.'),
    node: object(Record, `The ${noun}.`),
  });
  return objectType<Page<T>>(`${name}Connection`, `A page of a list of ${nouns}.`, {
    edges: object.list(EdgeType, `The ${nouns} of the page with their cursors.`),
    nodes: object.list(Record, `The ${nouns} of the page.`),
    pageInfo: object(PageInfo, 'Position of the page in the list.'),
    totalCount: int(`Number of ${nouns} on all pages. Counted only when selected.`),
  });
}

const OrderDirection = enumeration<OrderBy['direction']>('OrderDirection', 'Direction of an order.', {
  asc: 'Ascending: lowest, oldest or alphabetically first record first.',
  desc: 'Descending: highest, newest or alphabetically last record first.',
});

function orderOf(name: string, fields: readonly string[]): ClassType {
  const nouns = plural(words(name));
  const OrderField = enumeration(
    `${name}OrderField`,
    `Fields that a list of ${nouns} can be ordered by.`,
    Object.fromEntries(fields.map((field) => [field, `By \`${shownName(field)}\`.`])),
  );
  const description = `Order of a list of ${nouns}. Ties are broken by \`databaseId\`.`;
  return inputType(`${name}Order`, description, {
    field: choice(OrderField, 'Field to order by.'),
    direction: { ...choice(OrderDirection, 'Direction of the order.'), defaultValue: 'asc' },
  });
}

/** The field that an order is named after: `CREATED_AT` orders by `createdAt`. */
function shownName(order: string): string {
  const name = order.toLowerCase().replace(/_./g, (part) => part.slice(1).toUpperCase());
  return name === 'id' ? 'databaseId' : name;
}
