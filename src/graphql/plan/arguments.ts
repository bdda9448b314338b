import { getArgumentValues, type FieldNode, type GraphQLField } from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ListArgs } from '../execution/reads.js';
import type { Variables } from '../limits/cost.js';
import { hasVariable } from '../limits/examined.js';
import { BY_ID, sliceRequest, type OrderBy } from '../schema/connection.js';
import { conditionOf } from '../schema/filter.js';
import type { RequestOf } from './relations.js';

/** The page that the arguments of a field select. */
export function requestsOf(
  list: List<unknown>,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  order: OrderBy = BY_ID,
): RequestOf {
  return argumentsOf(field, node, (given) => {
    const args = given as ListArgs;
    return sliceRequest(args, conditionOf(list, args.filter), order);
  });
}

/** What is made of the arguments of a field: once, unless they have variables. */
export function argumentsOf<T>(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  make: (args: Variables) => T,
): (variables: Variables) => T {
  const of = (variables: Variables): T => make(getArgumentValues(field, node, variables));
  if (node.arguments?.some(({ value }) => hasVariable(value)) === true) return of;
  const made = of({});
  return () => made;
}
