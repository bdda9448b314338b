import { getArgumentValues, type FieldNode, type GraphQLField } from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ListArgs } from '../execution/reads.js';
import type { Variables } from '../limits/cost.js';
import { hasVariable } from '../limits/searches.js';
import { BY_ID, sliceRequest, type OrderBy } from '../schema/connection.js';
import { conditionOf } from '../schema/filter.js';
import type { RequestOf } from './relations.js';

/** Page request of a field, by the values of the variables. */
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

/** Function that converts the arguments of a field. Arguments without variables are converted once. */
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
