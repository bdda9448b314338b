import type { TimeRange } from '../time-range.model.js';

/** A table of totals. Its keys begin with the day or hour; those of `transaction_app_days` with the application. */
export type TotalsTable =
  | 'transaction_days'
  | 'transaction_hours'
  | 'transaction_day_totals'
  | 'transaction_hour_totals'
  | 'transaction_app_days';

export type Span = 'day' | 'hour';

/** A part of a period. `from` and `to` are days or hours since 1970-01-01, UTC; of an `instant`, milliseconds. */
export interface PeriodPart extends TimeRange {
  readonly of: Span | 'instant';
}

/** A part of a period with the table that answers for it. */
export interface TotalsPart extends PeriodPart {
  readonly table: TotalsTable | 'transactions';
}
