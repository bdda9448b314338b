import { DAY, HOUR } from '../../../../platform/clock.js';
import type { CountedTimeRange, TimeRange } from '../time-range.model.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../transaction.model.js';
import type { PeriodPart, Span, TotalsPart, TotalsTable } from './transaction-totals.model.js';

const KIND = ['status', 'transactionType'];
const PAID = [...KIND, 'paymentStatus'];
/** Fields of the tables with payments, ordered by their number of rows. */
const PAYMENT_TABLES = [
  { name: 'installment', fields: [...PAID, 'installments'] },
  { name: 'group', fields: [...PAID, 'group'] },
  { name: 'payment', fields: [...PAID, 'paymentType', 'brand', 'acquirer'] },
] as const;

/**
 * Table with the fewest rows that has all these fields; undefined if there is none. `isOfApp` is true if the
 * totals of a single application are read.
 */
export function totalsTable(
  span: Span,
  fields: readonly string[],
  isOfApp: boolean,
): TotalsTable | undefined {
  const isWithin = (known: readonly string[]): boolean => fields.every((field) => known.includes(field));
  if (isWithin(KIND)) return `transaction_${span}_totals`;
  if (isWithin([...KIND, 'appName'])) {
    return span === 'day' && isOfApp ? 'transaction_app_days' : `transaction_${span}s`;
  }
  const found = PAYMENT_TABLES.find((table) => isWithin(table.fields));
  return found && `transaction_${found.name}_${span}s`;
}

const SPAN_MS: Readonly<Record<Span, number>> = { day: DAY, hour: HOUR };

/** Splits a period into days, hours (unless `shortest` is `day`) and the rest at both ends; ascending. */
export function splitPeriod(
  period: TimeRange,
  longest: Span = 'day',
  shortest: Span = 'hour',
): readonly PeriodPart[] {
  const unit = SPAN_MS[longest];
  const first = Math.ceil(period.from / unit);
  const end = Math.floor(period.to / unit);
  const shorter = (range: TimeRange): readonly PeriodPart[] => {
    if (range.from >= range.to) return [];
    return longest === shortest ? [{ of: 'instant', ...range }] : splitPeriod(range, 'hour');
  };
  if (first >= end) return shorter(period);
  return [
    ...shorter({ from: period.from, to: first * unit }),
    { of: longest, from: first, to: end },
    ...shorter({ from: end * unit, to: period.to }),
  ];
}

/** Rows that a day or hour has at most of all applications, or of one: one for each status and type. */
const KINDS = TRANSACTION_STATUSES.length * TRANSACTION_TYPES.length;

/** Maximum rows of a table in a part; infinite if it depends on the recorded transactions. */
export function mostRowsOf({ table, from, to }: TotalsPart): number {
  const isBounded = table.endsWith('_totals') || table === 'transaction_app_days';
  return isBounded ? (to - from) * KINDS : Infinity;
}

/**
 * The ranges of the days or hours of a part, ascending, without empty ones; of an `instant` part, the part
 * itself. A start may be there several times: its range has the sum of its totals.
 */
export function rangesOfPart(
  part: TotalsPart,
  starts: readonly number[],
  totals: readonly number[],
): CountedTimeRange[] {
  if (part.of === 'instant') return [{ from: part.from, to: part.to, total: totals[0] ?? 0 }];
  const unit = SPAN_MS[part.of];
  const rows = starts.map((start, index) => ({ from: start * unit, total: totals[index] ?? 0 }));
  const ranges: { readonly from: number; readonly to: number; total: number }[] = [];
  // Rows that are in order already take least time.
  for (const { from, total } of rows.sort((one, other) => one.from - other.from)) {
    const last = ranges.at(-1);
    if (last?.from === from) last.total += total;
    else if (total > 0) ranges.push({ from, to: from + unit, total });
  }
  return ranges;
}
