import { ArgsType, type ClassType } from 'type-graphql';

import type { List } from '../../database/list/list.js';
import type { ListArgs } from '../execution/reads.js';
import { connectionOf, orderOf, PAGE_ARGS, type Page } from './connection.js';
import type { Enumeration } from './enumeration.js';
import { filterOf, type FilterInput } from './filter.js';
import type { Enums } from './input.js';
import { decoratedClass, nullable, object } from './object-type.js';

/** A list with the schema's types for its records, its pages and its arguments. */
export interface ListTypes<T extends object> {
  readonly list: List<T>;
  readonly Record: ClassType<T>;
  readonly Connection: ClassType<Page<T>>;
  readonly Args: ClassType<ListArgs>;
  readonly Filter: ClassType<FilterInput>;
  /** The enums of the record's fields, by field. */
  readonly enums: Enums;
}

/** The enums of properties of `T`; an enum of another property does not compile. */
type EnumsOf<T> = { readonly [K in keyof T]?: Enumeration<T[K] & string> };

/** The enums of filters that compare no property of a record. */
type OtherEnums = Readonly<Record<string, Enumeration>>;

/** Makes the types from the columns that the list can be ordered and filtered by. */
export function listTypes<T extends object>(
  list: List<T>,
  Record: ClassType<T>,
  enums: EnumsOf<T> = {},
  others: OtherEnums = {},
): ListTypes<T> {
  const known = { ...(enums as Enums), ...others };
  const Filter = filterOf(list, known);
  const Args = decoratedClass(ArgsType(), {
    ...PAGE_ARGS,
    orderBy: nullable(object(orderOf(list.name, list.orders), 'Order of the list.')),
    filter: nullable(object(Filter, 'Only records for which this holds.')),
  }) as ClassType<ListArgs>;
  return { list, Record, Connection: connectionOf(Record, list.name), Args, Filter, enums: known };
}
