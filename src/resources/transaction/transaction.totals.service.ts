import { comparisonsIn, fieldsIn, splitInterval, type Condition } from '../../database/list/condition.js';
import { countOf } from '../../database/count.js';
import { ROW_VALUES, sumOfCounts, type Examination } from '../../database/list/examination.js';
import type { List } from '../../database/list/list.js';
import type { ReadWork } from '../../database/work.js';
import { DAY, HOUR } from '../../platform/clock.js';
import type { TimeRange, CountedTimeRange } from './time-range.model.js';
import type { Transaction } from './transaction.model.js';
import {
  countTransactions,
  countTransactionsByDay,
  KIND_FIELDS,
  totalsWithin,
  transactionList,
  transactionsWithin,
} from './transaction.repository.js';
import { rangeOfDay, isAlways, periodOf, splitPeriod } from './transaction.rules.js';

/** A filter, split into a time range and other conditions. */
export interface Narrowed {
  readonly period: TimeRange;
  readonly where: Condition & { readonly and: readonly Condition[] };
}

/** Splits a condition. */
export function narrowedTo(condition: Condition | null): Narrowed {
  const { from, to, rest } = splitInterval(condition ?? { and: [] }, 'startedAt');
  return { period: periodOf(from, to), where: { and: rest } };
}

/** Whether the totals can answer a condition: they are grouped by every field that it compares. */
export function comparesKindsOnly(where: Condition): boolean {
  return fieldsIn(where).every((field) => KIND_FIELDS.includes(field));
}

/** Up to this offset, skipping index entries is faster than finding the day of the page in the daily totals. */
const NEAR_OFFSET = 300;

/** Whether the total is the company's counter. */
export function isKeptTotal({ period, where }: Narrowed, offset: number): boolean {
  return isAlways(period) && where.and.length === 0 && offset < NEAR_OFFSET;
}

/** Numbers of matching transactions by time range, newest first: from totals if possible, else counted. */
export async function totalsOf(
  work: ReadWork,
  narrowed: Narrowed,
  offset: number,
): Promise<readonly CountedTimeRange[]> {
  const { period, where } = narrowed;
  if (isKeptTotal(narrowed, offset)) return [{ ...period, total: await countOf(work, 'transactions') }];
  if (!comparesKindsOnly(where)) return [{ ...period, total: await countTransactions(work, where, period) }];
  const totals: CountedTimeRange[] = [];
  for (const { isWhole, ...range } of splitPeriod(period).reverse()) {
    if (isWhole) totals.push(...(await countTransactionsByDay(work, where, range)).map(rangeOfDay));
    else totals.push({ ...range, total: await countTransactions(work, where, range) });
  }
  return totals;
}

export function sumOf(ranges: readonly CountedTimeRange[]): number {
  return ranges.reduce((sum, { total }) => sum + total, 0);
}

export {
  transactionArrivals,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from './transaction.repository.js';

/** A transaction that ends or changes leaves the total of its former kind, which may be empty then. */
const TOTALS_PER_TRANSACTION = 2;

/** What reading the totals of a period examines at most. */
export function examinationOfTotals({ period, where }: Narrowed, unit: 'day' | 'hour' = 'day'): Examination {
  const counts = splitPeriod(period, unit === 'day' ? DAY : HOUR).map(({ isWhole, ...range }) =>
    isWhole ? totalsWithin(unit, range) : transactionsWithin(range),
  );
  const values = TOTALS_PER_TRANSACTION * (ROW_VALUES + comparisonsIn(where));
  return { values, rows: 'transactions', within: sumOfCounts(counts) };
}

function examinationOfCount(condition: Condition | null): Examination {
  const narrowed = narrowedTo(condition);
  return condition !== null && comparesKindsOnly(narrowed.where)
    ? examinationOfTotals(narrowed)
    : transactionList.examinesCount(condition);
}

/** The company's transactions, counted from totals where possible. */
export const transactions: List<Transaction> = {
  ...transactionList,
  count: async (work, condition) => sumOf(await totalsOf(work, narrowedTo(condition), 0)),
  examinesCount: examinationOfCount,
};
