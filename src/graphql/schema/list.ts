import type { ClassType } from 'type-graphql';

import type { List } from '../../database/list/list.js';
import type { OrderBy } from './declared.js';
import { filterOf, type FilterInput } from './filter.js';
import type { Enums } from './input.js';
import { plural, words } from './node.js';
import { DEFAULT_FIRST, MAX_FIRST, type Edge, type Page, type PageInfoShape } from './page.js';
import * as g from './types.js';

/** A list with the schema's types for its records and its pages, and with its arguments. */
export interface ListTypes<T extends object> {
  readonly list: List<T>;
  readonly Record: ClassType<T>;
  readonly Connection: ClassType<Page<T>>;
  readonly args: g.Fields;
  readonly Filter: ClassType<FilterInput>;
  readonly enums: Enums;
}

/** Lists by the names of the types of their records. */
export const filteredLists = new Map<string, List<object>>();

/** The enums of properties of `T`; an enum of another property does not compile. */
type EnumsOf<T> = { readonly [K in keyof T]?: g.Enumeration<T[K] & string> };

/**
 * Types from the orders and filters of a list. `others` are enums of filters that compare no property of a record;
 * `descriptions` are those of filters that need more than the name of a field.
 */
export function listTypes<T extends object>(
  list: List<T>,
  Record: ClassType<T>,
  enums: EnumsOf<T> = {},
  others: Enums = {},
  descriptions: Readonly<Record<string, string>> = {},
): ListTypes<T> {
  const known = { ...(enums as Enums), ...others };
  const Filter = filterOf(list, known, descriptions);
  filteredLists.set(list.name, list);
  const args = {
    ...PAGE_ARGS,
    orderBy: g.object.orNull(orderOf(list.name, list.orders), 'Order of the list.'),
    filter: g.object.orNull(Filter, 'Only records for which this holds.'),
  };
  return { list, Record, Connection: connectionOf(Record, list.name), args, Filter, enums: known };
}

const PAGE_ARGS = {
  first: g.int.orNull(
    `Page size, counted from the start of the list: 0 to ${MAX_FIRST}. Defaults to ${DEFAULT_FIRST}. Not together with \`last\`.`,
  ),
  after: g.text.orNull(
    'Cursor (`endCursor` of the previous page): the page starts after it. Goes with `first`.',
  ),
  last: g.int.orNull(
    `Page size, counted from the end of the list: 0 to ${MAX_FIRST}. Not together with \`first\`.`,
  ),
  before: g.text.orNull(
    'Cursor (`startCursor` of the next page): the page ends before it. Goes with `last`.',
  ),
};

const PageInfo = g.objectType<PageInfoShape>('PageInfo', 'Position of a page in its list.', {
  hasNextPage: g.flag('Whether the list has records after this page.'),
  hasPreviousPage: g.flag('Whether the list has records before this page.'),
  startCursor: g.text.orNull('Cursor of the first record of the page. Null for an empty page.'),
  endCursor: g.text.orNull('Cursor of the last record of the page. Null for an empty page.'),
});

export function connectionOf<T extends object>(Record: ClassType<T>, name: string): ClassType<Page<T>> {
  const noun = words(name);
  const nouns = plural(noun);
  const EdgeType = g.objectType<Edge<T>>(`${name}Edge`, `One ${noun} of a page, with its cursor.`, {
    cursor: g.text('Opaque position in the list, for `after` and `before`.'),
    node: g.object(Record, `The ${noun}.`),
  });
  return g.objectType<Page<T>>(`${name}Connection`, `A page of a list of ${nouns}.`, {
    edges: g.object.list(EdgeType, `The ${nouns} of the page with their cursors.`),
    nodes: g.object.list(Record, `The ${nouns} of the page.`),
    pageInfo: g.object(PageInfo, 'Position of the page in the list.'),
    totalCount: g.int(`Number of ${nouns} on all pages. Counted only when selected.`),
  });
}

export const OrderDirection = g.enumeration<OrderBy['direction']>(
  'OrderDirection',
  'Direction of an order.',
  {
    asc: 'Ascending: lowest, oldest or alphabetically first record first.',
    desc: 'Descending: highest, newest or alphabetically last record first.',
  },
);

function orderOf(name: string, fields: readonly string[]): ClassType {
  const nouns = plural(words(name));
  const OrderField = g.enumeration(
    `${name}OrderField`,
    `Fields that a list of ${nouns} can be ordered by.`,
    Object.fromEntries(fields.map((field) => [field, `By \`${shownName(field)}\`.`])),
  );
  const description = `Order of a list of ${nouns}. Ties are broken by \`databaseId\`.`;
  return g.inputType(`${name}Order`, description, {
    field: g.choice(OrderField, 'Field to order by.'),
    direction: { ...g.choice(OrderDirection, 'Direction of the order.'), defaultValue: 'asc' },
  });
}

/** The field that an order is named after: `CREATED_AT` orders by `createdAt`. */
function shownName(order: string): string {
  const name = order.toLowerCase().replace(/_./g, (part) => part.slice(1).toUpperCase());
  return name === 'id' ? 'databaseId' : name;
}
