import { Extensions } from 'type-graphql';

import type { ChildList, List } from '../../database/list/list.js';
import type { Search } from '../../database/list/request-class.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ListArgs } from '../execution/reads.js';
import { BY_ID, sliceRequest, type OrderBy } from './connection.js';
import { conditionOf } from './filter.js';

/** Selected parts of a connection: its page (nodes, edges, `pageInfo`), and its total. */
export interface Selected {
  readonly page: boolean;
  readonly total: boolean;
}

/** Searches of a field for its coerced arguments; null for reads by an index. Errors: invalid arguments. */
export type Searches<A = object> = (args: A, selected: Selected) => readonly (Search | null)[];

/** Declares the searches of a field, see `limits/searches.ts`. */
export const searches = (of: Searches<never>): ReturnType<typeof Extensions> => Extensions({ searches: of });

export function searchesOfList<T>(list: List<T>, standard: OrderBy = BY_ID): Searches<ListArgs> {
  return (args, { page, total }) => {
    const condition = conditionOf(list, args.filter);
    return [
      page ? list.searchOfSlice(sliceRequest(args, condition, standard)) : null,
      total ? list.searchOfCount(condition) : null,
    ];
  };
}

export function searchesOfChildren<T, P extends KeyValue>(
  child: ChildList<T, P>,
  standard: OrderBy = BY_ID,
): Searches<ListArgs> {
  return (args, { page, total }) => {
    const condition = conditionOf(child.list, args.filter);
    return [
      page ? child.searchOfSlices(sliceRequest(args, condition, standard)) : null,
      total ? child.searchOfCounts(condition) : null,
    ];
  };
}
