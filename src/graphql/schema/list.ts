import { ArgsType, Field, type ClassType } from 'type-graphql';

import type { List } from '../../database/list/list.js';
import { connectionOf, orderOf, PageArgs, type Connection, type OrderBy } from './connection.js';
import type { ListArgs } from '../execution/context.js';
import { filterOf, type Choices, type FilterInput } from './filter.js';

/** The schema's types of a list: its connection, its arguments, and of these what narrows it. */
export interface ListTypes {
  readonly Connection: ClassType<Connection<object>>;
  readonly Args: ClassType<ListArgs>;
  readonly Filter: ClassType<FilterInput>;
}

/** Made from what the list itself can be ordered and narrowed by. */
export function listTypes(
  list: Pick<List<unknown>, 'name' | 'orders' | 'filters'>,
  NodeType: ClassType,
  choices: Readonly<Record<string, Choices>> = {},
): ListTypes {
  const Order = orderOf(list.name, list.orders);
  const Filter = filterOf(list, choices);

  @ArgsType()
  class Args extends PageArgs {
    @Field(() => Order, { nullable: true, description: 'The order, which ends in the id.' })
    orderBy?: OrderBy | null;

    @Field(() => Filter, { nullable: true, description: 'Only what meets this.' })
    filter?: FilterInput | null;
  }
  return { Connection: connectionOf(NodeType, list.name), Args, Filter };
}
