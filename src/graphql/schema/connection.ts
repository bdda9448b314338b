import {
  ArgsType,
  Field,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  type ClassType,
} from 'type-graphql';

import type { Slice, SliceRequest } from '../../database/list/slice.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { requestError } from './errors.js';

export const DEFAULT_FIRST = 30;
const MAX_FIRST = 100;

enum Direction {
  ASC = 'asc',
  DESC = 'desc',
}
registerEnumType(Direction, {
  name: 'OrderDirection',
  description: 'Which way a list goes.',
  valuesConfig: {
    ASC: { description: 'Lowest, oldest or first of the alphabet first.' },
    DESC: { description: 'Highest, newest or last of the alphabet first.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'Where a page stands in its list.' })
class PageInfo {
  @Field(() => Boolean, { description: 'Whether records follow the last one here.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether records come before the first one here.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first record here.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last record here.' })
  endCursor!: string | null;
}

type PageInfoShape = Readonly<Pick<PageInfo, keyof PageInfo>>;

/** Which part of a list: `first`/`after` or `last`/`before`. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    description: `How many, from the beginning: 1 to ${MAX_FIRST}, ${DEFAULT_FIRST} unless told.`,
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what follows this cursor.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: `How many, from the end: 1 to ${MAX_FIRST}.` })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what comes before this cursor.' })
  before?: string | null;
}

/** What one record can be asked for by: exactly one of these. Types with a name of their own add it. */
@ArgsType()
export class Keys {
  @Field(() => ID, { nullable: true, description: 'Its id.' })
  id?: string | null;

  @Field(() => Int, { nullable: true, description: 'Its id in REST.' })
  databaseId?: number | null;
}

/** What a field of a connection's type answers; nothing is read before it is asked for. */
export interface Connection<T> {
  readonly nodes: () => Promise<readonly T[]>;
  readonly edges: () => Promise<readonly { cursor: string; node: T }[]>;
  readonly pageInfo: () => Promise<PageInfoShape>;
  readonly totalCount: () => Promise<number>;
}

/** The connection's object types for a node type. */
export function connectionOf(NodeType: ClassType, name: string): ClassType<Connection<object>> {
  @ObjectType(`${name}Edge`, {
    simpleResolvers: true,
    description: `One record (${name}) and its place in a list.`,
  })
  class Edge {
    @Field(() => String, { description: 'Opaque place in the list.' })
    cursor!: string;

    @Field(() => NodeType, { description: 'The record.' })
    node!: object;
  }

  @ObjectType(`${name}Connection`, {
    simpleResolvers: true,
    description: `Part of a list of ${name} records.`,
  })
  class NodeConnection {
    @Field(() => [Edge], { description: 'The records with their places.' })
    edges!: never;

    @Field(() => [NodeType], { description: 'The records.' })
    nodes!: never;

    @Field(() => PageInfo, { description: 'Where this part stands in the list.' })
    pageInfo!: never;

    @Field(() => Int, { description: 'Number of records in the whole list; counted only when asked for.' })
    totalCount!: never;
  }
  return NodeConnection;
}

export interface OrderBy {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** The input type that orders a list by one of its indexed columns. */
export function orderOf(name: string, fields: readonly string[]): ClassType<OrderBy> {
  const OrderField = Object.fromEntries(fields.map((field) => [field, field]));
  registerEnumType(OrderField, {
    name: `${name}OrderField`,
    description: `What ${name} records can be ordered by.`,
    valuesConfig: Object.fromEntries(fields.map((field) => [field, { description: orderedBy(field) }])),
  });

  @InputType(`${name}Order`, { description: `How a list of ${name} records is ordered.` })
  class Order {
    @Field(() => OrderField, { description: 'By what.' })
    field!: string;

    @Field(() => Direction, { defaultValue: Direction.ASC, description: 'Which way.' })
    direction!: 'asc' | 'desc';
  }
  return Order;
}

/** `CREATED_AT` as `By createdAt.` */
function orderedBy(field: string): string {
  const camel = field.toLowerCase().replace(/_./g, (part) => part.slice(1).toUpperCase());
  return `By ${camel === 'id' ? 'databaseId' : camel}.`;
}

/** The arguments of a list as the part that is asked for. */
export function sliceRequest(
  args: PageArgs & { orderBy?: OrderBy | null },
  condition: SliceRequest['condition'],
  standard: OrderBy,
): SliceRequest {
  const { first, last, after, before } = args;
  if (first != null && last != null) throw requestError('Give first or last, not both.');
  const backward = last != null;
  if (backward ? after != null : before != null) {
    throw requestError('after goes with first, before goes with last.');
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
  if (limit < 1 || limit > MAX_FIRST)
    throw requestError(`first and last take 1 to ${MAX_FIRST}, not ${limit}.`);
  return limit;
}

export function connection<T>(
  request: SliceRequest,
  load: () => Promise<Slice<T>>,
  count: () => Promise<number>,
): Connection<T> {
  let loaded: Promise<Slice<T>> | undefined;
  const slice = (): Promise<Slice<T>> => (loaded ??= load());
  return {
    nodes: async () => (await slice()).items.map((item) => item.record),
    edges: async () =>
      (await slice()).items.map(({ record, key }) => ({
        cursor: encodeCursor(request.order, key),
        node: record,
      })),
    pageInfo: async () => pageInfo(request, await slice()),
    totalCount: count,
  };
}

function pageInfo<T>(request: SliceRequest, slice: Slice<T>): PageInfoShape {
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
