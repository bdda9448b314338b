import { sql } from 'kysely';

import { PRESENCE_LIMITS } from '../../../platform/presence.js';
import type { CounterName } from '../../totals/count.js';
import { tableWith } from '../companions.js';
import {
  columnsIn,
  condition,
  meant,
  type Condition,
  type FilterColumn,
  type MeaningAt,
} from '../condition.js';
import { childrenOf, ofCompany, parentTable, type ListTable, type Relation } from '../scope.js';
import type { SliceRequest } from '../slice.js';
import { comparisonsOf, countable, isCountKnown, isPageInOrder, orderOfChildren } from './bounds.js';
import { countUpTo, ROW_VALUES, type Examination, type RowCount } from './examination.js';

interface Examined extends ListTable {
  readonly orders: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, FilterColumn>>;
  readonly rows: CounterName | number;
}

/** Examination of a read whose rows an index bounds: the cost in records counts them. */
const NOTHING: Examination = { values: 0, rows: 0 };

/**
 * A fixed time: the cost of a condition depends on the form of its meaning, which is the same at all times.
 */
const AT_ANY_TIME: MeaningAt = { now: new Date(0), presence: PRESENCE_LIMITS };

function meantIn(list: Examined, request: SliceRequest): SliceRequest {
  return { ...request, condition: meant(list.filters, request.condition, AT_ANY_TIME) };
}

/** Upper bound for a page of a company's list. */
export function examinationOfSlice(list: Examined, given: SliceRequest): Examination {
  const request = meantIn(list, given);
  if (isPageInOrder(list, request)) return NOTHING;
  const values = ROW_VALUES + comparisonsOf(request.condition);
  return { values, ...rowsMeeting(list, request.condition, list.orders[request.order]) };
}

/** Upper bound for counting a company's list. Without a filter, a counter has the number. */
export function examinationOfCount(list: Examined, given: Condition | null): Examination {
  const where = meant(list.filters, given, AT_ANY_TIME);
  if (isCountKnown(list.filters, where)) return NOTHING;
  return { values: ROW_VALUES + comparisonsOf(where), ...rowsMeeting(list, where) };
}

/**
 * Upper bound for the pages of many parents. Each child has one parent, so together they read each row (of
 * links, each link) once.
 */
export function examinationOfSlices(list: Examined, relation: Relation, given: SliceRequest): Examination {
  const request = meantIn(list, given);
  if (request.condition === null && orderOfChildren(list, relation) === request.order) return NOTHING;
  return { values: ROW_VALUES + comparisonsOf(request.condition), ...rowsOfParents(list, relation) };
}

/** Upper bound for the counts of many parents. Without a filter, only entries of an index are read. */
export function examinationOfCounts(
  list: Examined,
  relation: Relation,
  given: Condition | null,
): Examination {
  const where = meant(list.filters, given, AT_ANY_TIME);
  const row = where === null && 'column' in relation ? 1 : ROW_VALUES;
  return { values: row + comparisonsOf(where), ...rowsOfParents(list, relation) };
}

function rowsMeeting(list: Examined, where: Condition | null, ordered?: string): Omit<Examination, 'values'> {
  const part = countable(list.filters, where, ordered);
  if (part === null) return { rows: list.rows };
  const within: RowCount = (work, max) =>
    countUpTo(
      max,
      sql`from ${tableWith(list.table, columnsIn(list.filters, part))} as t where ${ofCompany(list, work, part)} and ${condition(list.filters, part)}`,
    );
  return { rows: list.rows, within };
}

function rowsOfParents(list: Examined, relation: Relation): Omit<Examination, 'values'> {
  const within: RowCount = (work, max, parents = []) =>
    countUpTo(
      max,
      sql`from ${parentTable(relation, parents)} cross join ${childrenOf(list, relation, work)} and ${ofCompany(list, work, null)}`,
    );
  return { rows: 'link' in relation ? relation.link : list.rows, within, isOfParents: true };
}
