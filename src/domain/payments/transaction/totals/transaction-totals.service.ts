import {
  fieldsIn,
  splitInterval,
  valueDemanded,
  type Condition,
} from '../../../../database/list/condition.js';
import type { List } from '../../../../database/list/list.js';
import type { Search } from '../../../../database/list/request-class.js';
import { countOf } from '../../../../database/totals.js';
import { MANY_ROWS, type ReadWork } from '../../../../database/work.js';
import type { CountedTimeRange, TimeRange } from '../time-range.model.js';
import { isAlways } from '../time-range.model.js';
import { countTransactions } from '../transaction-page.repository.js';
import type { Transaction } from '../transaction.model.js';
import { KIND_FIELDS, transactionList } from '../transaction.repository.js';
import { periodOf } from '../transaction.rules.js';
import type { PeriodPart, Span, TotalsPart, TotalsTable } from './transaction-totals.model.js';
import { countParts, sumParts } from './transaction-totals.repository.js';
import { mostRowsOf, rangesOfPart, splitPeriod, totalsTable } from './transaction-totals.rules.js';

/** A filter, split into a time range and other conditions. */
export interface Narrowed {
  readonly period: TimeRange;
  readonly where: Condition & { readonly and: readonly Condition[] };
  /** Whether few matching transactions are outside of whole days: they are counted one by one. */
  readonly hasFewBesidesDays?: boolean;
}

/** Splits a condition. */
export function narrowedTo(condition: Condition | null): Narrowed {
  const { from, to, rest } = splitInterval(condition ?? { and: [] }, 'startedAt');
  return { period: periodOf(from, to), where: { and: rest } };
}

/** Whether totals are grouped by every field that a condition compares. */
export function comparesKindsOnly(where: Condition): boolean {
  return fieldsIn(where).every((field) => KIND_FIELDS.includes(field));
}

/** Whether the total is the counter of all transactions of the company. */
export function isKeptTotal({ period, where }: Narrowed): boolean {
  return isAlways(period) && where.and.length === 0;
}

/** Table of totals for a condition and the fields to group by; undefined if no table has all fields. */
export function totalsTableFor(
  span: Span,
  where: Condition,
  by: readonly string[] = [],
): TotalsTable | undefined {
  return totalsTable(span, [...fieldsIn(where), ...by], valueDemanded(where, 'appName') !== undefined);
}

/**
 * Parts of a period with their tables of totals, ascending; in days, or in hours if `longest` is `hour`.
 * Throws if no table has all fields.
 */
export function totalsParts(
  period: TimeRange,
  where: Condition,
  longest: Span = 'day',
  by: readonly string[] = [],
): readonly TotalsPart[] {
  return withTables(splitPeriod(period, longest), where, by);
}

/** Parts of a filter's period and their tables, ascending; in hours if `longest` is `hour`. */
export function partsOfFilter(
  { period, where, hasFewBesidesDays = false }: Narrowed,
  longest: Span,
): readonly TotalsPart[] {
  return hasFewBesidesDays && longest === 'day'
    ? withTables(splitPeriod(period, 'day', 'day'), where, [])
    : totalsParts(period, where, longest);
}

function withTables(
  parts: readonly PeriodPart[],
  where: Condition,
  by: readonly string[],
): readonly TotalsPart[] {
  return parts.map(({ of, from, to }) => ({ of, from, to, table: tableOf(of, where, by) }));
}

function tableOf(of: PeriodPart['of'], where: Condition, by: readonly string[]): TotalsPart['table'] {
  const table = of === 'instant' ? 'transactions' : totalsTableFor(of, where, by);
  if (table === undefined)
    throw new Error(`No table has totals by ${fieldsIn(where).join()} and ${by.join()}`);
  return table;
}

/** Number of matching transactions: from totals if possible, otherwise counted. One statement. */
export async function totalOf(work: ReadWork, narrowed: Narrowed): Promise<number> {
  const { period, where } = narrowed;
  if (isKeptTotal(narrowed)) return await countOf(work, 'transactions');
  if (!comparesKindsOnly(where)) return await countTransactions(work, where, period);
  const sums = await sumParts(work, where, partsOfFilter(narrowed, 'day'));
  return sums.reduce((sum, total) => sum + total, 0);
}

/** Totals by day or hour, newest first. One statement. `where` compares only `KIND_FIELDS`. */
export async function rangesOf(
  work: ReadWork,
  narrowed: Narrowed,
  longest: Span,
): Promise<readonly CountedTimeRange[]> {
  const parts = partsOfFilter(narrowed, longest);
  const counted = await countParts(work, narrowed.where, parts);
  const byPart = new Map(counted.map((each) => [each.part, each]));
  const ranges = parts.flatMap((part, index) => {
    const { starts = '[]', totals = '[]' } = byPart.get(index) ?? {};
    return rangesOfPart(part, listOf(starts), listOf(totals));
  });
  return ranges.reverse();
}

const listOf = (text: string): readonly number[] => JSON.parse(text) as number[];

export {
  transactionNewRows,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from '../transaction.repository.js';

/** Search of the totals of a period, grouped by the fields `by`: few rows if days or hours bound them. */
export function searchOfTotals(
  { period, where }: Narrowed,
  longest: Span = 'day',
  by: readonly string[] = [],
): Search {
  const rows = totalsParts(period, where, longest, by).reduce((sum, part) => sum + mostRowsOf(part), 0);
  return { rows: rows > MANY_ROWS ? 'transactions' : rows };
}

function searchOfCount(condition: Condition | null): Search | null {
  const narrowed = narrowedTo(condition);
  return condition !== null && comparesKindsOnly(narrowed.where)
    ? searchOfTotals(narrowed)
    : transactionList.searchOfCount(condition);
}

/** List of the company's transactions, counted from totals if possible. */
export const transactions: List<Transaction> = {
  ...transactionList,
  count: (work, condition) => totalOf(work, narrowedTo(condition)),
  searchOfCount,
};
