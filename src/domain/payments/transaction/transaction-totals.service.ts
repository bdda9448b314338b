import { countOf } from '../../../database/counters.js';
import { fieldsIn, splitInterval, valueDemanded, type Condition } from '../../../database/list/condition.js';
import type { List } from '../../../database/list/list.js';
import type { Search } from '../../../database/list/request-class.js';
import { MANY_ROWS, type ReadWork } from '../../../database/work.js';
import { MINUTE, type Span } from '../../../platform/clock.js';
import { countTransactions } from './transaction-page.repository.js';
import {
  halfHoursAround,
  isAlways,
  periodOf,
  splitPeriod,
  type CountedTimeRange,
  type PeriodPart,
  type TimeRange,
} from './transaction-period.model.js';
import {
  countSpans,
  recordedPart,
  sumParts,
  type Totals,
  type TotalsTable,
} from './transaction-totals.repository.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES, type Transaction } from './transaction.model.js';
import { transactionList } from './transaction.repository.js';

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

/** Whether the total is the counter of all transactions of the company. */
export function isKeptTotal({ period, where }: Narrowed): boolean {
  return isAlways(period) && where.and.length === 0;
}

const KIND = ['status', 'transactionType'];
const PAID = [...KIND, 'paymentStatus'];
/** Fields of each table of totals, the tables with the fewest rows first. */
const FIELDS: readonly (readonly [TotalsTable, readonly string[]])[] = [
  ['transaction_totals', KIND],
  ['transaction_app_totals', [...KIND, 'appName']],
  ['transaction_installment_totals', [...PAID, 'installments']],
  ['transaction_group_totals', [...PAID, 'group']],
  ['transaction_payment_totals', [...PAID, 'paymentType', 'brand', 'acquirer']],
];

/** Table of totals for a condition and the fields to group by; undefined if no table has all fields. */
export function totalsTableFor(where: Condition, by: readonly string[] = []): TotalsTable | undefined {
  const fields = [...fieldsIn(where), ...by];
  return FIELDS.find(([, known]) => fields.every((field) => known.includes(field)))?.[0];
}

/** The totals for a filter that only compares kinds. */
function totalsFor({ period, where }: Narrowed, spans?: readonly Span[]): Totals {
  const table = totalsTableFor(where);
  if (table === undefined) throw new Error(`No table has totals by ${fieldsIn(where).join()}`);
  return { table, where, parts: splitPeriod(period, spans) };
}

/** Number of matching transactions: from totals if possible, otherwise counted. One statement. */
export async function totalOf(work: ReadWork, narrowed: Narrowed): Promise<number> {
  const { period, where } = narrowed;
  if (isKeptTotal(narrowed)) return await countOf(work, 'transactions');
  if (totalsTableFor(where) === undefined) return await countTransactions(work, where, period);
  return await sumParts(work, totalsFor(narrowed));
}

/** Spans with matching transactions, newest first. One statement. A table must have totals by all fields of `where`. */
export async function spansWith(
  work: ReadWork,
  narrowed: Narrowed,
  spans?: readonly Span[],
): Promise<readonly CountedTimeRange[]> {
  return await countSpans(work, totalsFor(narrowed, spans));
}

/** Rows that a span has of all applications, or of one: one for each status and type. */
const ROWS_PER_SPAN = TRANSACTION_STATUSES.length * TRANSACTION_TYPES.length;

/** Rows of totals of all applications, or of one, that parts of a period have at most. */
function mostRowsOf(parts: readonly PeriodPart[]): number {
  return parts.reduce(
    (sum, { of, from, to }) => sum + (of === 'instant' ? 0 : ((to - from) / (of * MINUTE)) * ROWS_PER_SPAN),
    0,
  );
}

/**
 * Rows that the total of a filter by kinds reads at most. One statement if the period is long, to find the part
 * of it that has transactions, and one if it has parts of half hours.
 */
export async function mostRowsOfTotal(work: ReadWork, { period, where }: Narrowed): Promise<number> {
  const isLong = mostRowsOf(splitPeriod(period)) > MANY_ROWS;
  const app = valueDemanded(where, 'appName');
  const appName = typeof app === 'string' ? app : undefined;
  const within = isLong ? await recordedPart(work, period, appName) : period;
  const parts = within === undefined ? [] : splitPeriod(within);
  const counted = parts.filter(({ of }) => of === 'instant').map((part) => halfHoursAround(part));
  if (counted.length === 0) return mostRowsOf(parts);
  return mostRowsOf(parts) + (await sumParts(work, ofHalfHours(counted)));
}

/** The totals of ranges of whole half hours. */
export const ofHalfHours = (ranges: readonly TimeRange[]): Totals => ({
  table: 'transaction_totals',
  where: { and: [] },
  parts: ranges.map((range) => ({ of: 30, ...range })),
});

/**
 * Search of the totals of a filter, grouped by the fields `by`, which a table has: few rows if the number of
 * spans bounds them.
 */
export function searchOfTotals(
  { period, where }: Narrowed,
  spans?: readonly Span[],
  by: readonly string[] = [],
): Search {
  const table = totalsTableFor(where, by);
  const isBounded =
    table === 'transaction_totals' ||
    (table === 'transaction_app_totals' && valueDemanded(where, 'appName') !== undefined);
  const parts = splitPeriod(period, spans);
  const rows = mostRowsOf(parts);
  const isSearch = !isBounded || rows > MANY_ROWS || parts.some(({ of }) => of === 'instant');
  return { rows: isSearch ? 'transactions' : rows };
}

function searchOfCount(condition: Condition | null): Search | null {
  const narrowed = narrowedTo(condition);
  return condition !== null && totalsTableFor(narrowed.where) !== undefined
    ? searchOfTotals(narrowed)
    : transactionList.searchOfCount(condition);
}

/** List of the company's transactions, counted from totals if possible. */
export const transactions: List<Transaction> = {
  ...transactionList,
  count: (work, condition) => totalOf(work, narrowedTo(condition)),
  searchOfCount,
};

export {
  transactionNewRows,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from './transaction.repository.js';
