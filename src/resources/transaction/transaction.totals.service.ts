import { fieldsIn, splitInterval, type Condition } from '../../database/list/condition.js';
import { countOf } from '../../database/count.js';
import type { List } from '../../database/list/list.js';
import type { ReadWork } from '../../database/work.js';
import type { TimeRange, CountedTimeRange } from './time-range.model.js';
import type { Transaction } from './transaction.model.js';
import {
  countTransactions,
  countTransactionsByDay,
  KIND_FIELDS,
  transactionList,
} from './transaction.repository.js';
import { dayStretch, isAlways, periodOf, splitPeriod } from './transaction.rules.js';

/** What a list is narrowed to: a stretch of time, and what else must hold. */
export interface Narrowed {
  readonly period: TimeRange;
  readonly where: Condition & { readonly and: readonly Condition[] };
}

/** A condition taken apart. */
export function narrowedTo(condition: Condition | null): Narrowed {
  const { from, to, rest } = splitInterval(condition ?? { and: [] }, 'startedAt');
  return { period: periodOf(from, to), where: { and: rest } };
}

/** Whether the kept totals tell all fields apart that a condition compares. */
export function comparesKindsOnly(where: Condition): boolean {
  return fieldsIn(where).every((field) => KIND_FIELDS.includes(field));
}

/** Skipping so many in an index costs less than finding the day they end in. */
const NEAR = 300;

/** How many there are, and where, newest first: as the database keeps it, else counted in an index. */
export async function totalsOf(
  work: ReadWork,
  { period, where }: Narrowed,
  offset: number,
): Promise<readonly CountedTimeRange[]> {
  if (isAlways(period) && where.and.length === 0 && offset < NEAR) {
    return [{ ...period, total: await countOf(work, 'transactions') }];
  }
  if (!comparesKindsOnly(where)) return [{ ...period, total: await countTransactions(work, where, period) }];
  const { whole, before, after } = splitPeriod(period);
  const totals: CountedTimeRange[] = [];
  if (after !== null) totals.push({ ...after, total: await countTransactions(work, where, after) });
  if (whole !== null) totals.push(...(await countTransactionsByDay(work, where, whole)).map(dayStretch));
  if (before !== null) totals.push({ ...before, total: await countTransactions(work, where, before) });
  return totals;
}

export function sumOf(stretches: readonly CountedTimeRange[]): number {
  return stretches.reduce((sum, { total }) => sum + total, 0);
}

export {
  transactionArrivals,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from './transaction.repository.js';

/** The company's transactions; their number is looked up, as far as totals are kept. */
export const transactions: List<Transaction> = {
  ...transactionList,
  count: async (work, condition) => sumOf(await totalsOf(work, narrowedTo(condition), 0)),
};
