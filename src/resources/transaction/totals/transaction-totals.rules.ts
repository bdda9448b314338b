import { fieldsIn, type Condition } from '../../../database/list/condition.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import type { CountedTimeRange, TimeRange } from '../time-range.model.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../transaction.model.js';

/** A table of totals. Its keys begin with the day or hour; those of `transaction_app_days` with the application. */
export type TotalsTable =
  | 'transaction_days'
  | 'transaction_hours'
  | 'transaction_day_totals'
  | 'transaction_hour_totals'
  | 'transaction_app_days';

export type Span = 'day' | 'hour';
const SPAN_MS: Readonly<Record<Span, number>> = { day: DAY, hour: HOUR };

/** The table with the fewest rows that can answer `where`, grouped by the fields `by`. */
function totalsTable(span: Span, where: Condition, by: readonly string[] = []): TotalsTable {
  const isByApp = by.includes('appName');
  if (!isByApp && !fieldsIn(where).includes('appName')) return `transaction_${span}_totals`;
  return span === 'day' && valueDemanded(where, 'appName') !== undefined
    ? 'transaction_app_days'
    : `transaction_${span}s`;
}

/** The one value that a condition demands of a field. */
export function valueDemanded(where: Condition, field: string): unknown {
  if (!('and' in where)) return undefined;
  for (const part of where.and) {
    if ('field' in part && part.field === field && part.operator === 'eq') return part.value;
  }
  return undefined;
}

/** A part of a period. `from` and `to` are days or hours since 1970-01-01, UTC; of an `instant`, milliseconds. */
export interface PeriodPart extends TimeRange {
  readonly of: Span | 'instant';
}

/** Splits a period into whole days and hours, for which totals exist, and the rest at both ends; ascending. */
export function splitPeriod(period: TimeRange, longest: Span = 'day'): readonly PeriodPart[] {
  const unit = SPAN_MS[longest];
  const first = Math.ceil(period.from / unit);
  const end = Math.floor(period.to / unit);
  const shorter = (range: TimeRange): readonly PeriodPart[] => {
    if (range.from >= range.to) return [];
    return longest === 'day' ? splitPeriod(range, 'hour') : [{ of: 'instant', ...range }];
  };
  if (first >= end) return shorter(period);
  return [
    ...shorter({ from: period.from, to: first * unit }),
    { of: longest, from: first, to: end },
    ...shorter({ from: end * unit, to: period.to }),
  ];
}

/** A part of a period with the table that answers for it. */
export interface TotalsPart extends PeriodPart {
  readonly table: TotalsTable | 'transactions';
}

/** What to read for the totals of a period, ascending; by days unless `longest` is an hour. */
export function totalsParts(
  period: TimeRange,
  where: Condition,
  longest: Span = 'day',
  by: readonly string[] = [],
): readonly TotalsPart[] {
  return splitPeriod(period, longest).map((part) => ({
    ...part,
    table: part.of === 'instant' ? 'transactions' : totalsTable(part.of, where, by),
  }));
}

/** Rows that a day or hour has at most of all applications, or of one: one for each status and type. */
const KINDS = TRANSACTION_STATUSES.length * TRANSACTION_TYPES.length;

/** How many rows of a table a part has at most; infinite where that depends on what was recorded. */
export function mostRowsOf({ table, from, to }: TotalsPart): number {
  const isBounded = table.endsWith('_totals') || table === 'transaction_app_days';
  return isBounded ? (to - from) * KINDS : Infinity;
}

/** The range of a day or hour; of an `instant` part, the part itself. */
export function rangeOf(part: TotalsPart, start: number, total: number): CountedTimeRange {
  if (part.of === 'instant') return { from: part.from, to: part.to, total };
  return { from: start * SPAN_MS[part.of], to: (start + 1) * SPAN_MS[part.of], total };
}
