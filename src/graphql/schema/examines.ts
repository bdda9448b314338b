import { Extensions } from 'type-graphql';

import type { Examination } from '../../database/list/examining/examination.js';
import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ListArgs } from '../execution/reads.js';
import { BY_ID, sliceRequest, type OrderBy } from './connection.js';
import { conditionOf } from './filter.js';

/** Selected parts of a connection: its page (nodes, edges, `pageInfo`), and its total. */
export interface Selected {
  readonly page: boolean;
  readonly total: boolean;
}

/** Examinations of a field for its coerced arguments. Errors: those of invalid arguments. */
export type Examines<A = object> = (args: A, selected: Selected) => readonly Examination[];

/** Declares the examinations of a field besides its records, see `limits/cost.ts`. */
export const examines = (of: Examines<never>): ReturnType<typeof Extensions> => Extensions({ examines: of });

export function examinesList<T>(list: List<T>, standard: OrderBy = BY_ID): Examines<ListArgs> {
  return (args, { page, total }) => {
    const condition = conditionOf(list, args.filter);
    return [
      ...(page ? [list.examinesSlice(sliceRequest(args, condition, standard))] : []),
      ...(total ? [list.examinesCount(condition)] : []),
    ];
  };
}

export function examinesChildren<T, P extends KeyValue>(
  child: ChildList<T, P>,
  standard: OrderBy = BY_ID,
): Examines<ListArgs> {
  return (args, { page, total }) => {
    const condition = conditionOf(child.list, args.filter);
    return [
      ...(page ? [child.examinesSlices(sliceRequest(args, condition, standard))] : []),
      ...(total ? [child.examinesCounts(condition)] : []),
    ];
  };
}
