import type { TimeRange } from '../time-range.model.js';

/** Tables of totals. Keys begin with the day or hour; in `transaction_app_days` with the application. */
export const TOTALS_TABLES = [
  ...(['transaction_days', 'transaction_hours', 'transaction_app_days'] as const),
  ...(['transaction_day_totals', 'transaction_hour_totals'] as const),
  ...(['transaction_payment_days', 'transaction_payment_hours'] as const),
  ...(['transaction_installment_days', 'transaction_installment_hours'] as const),
  ...(['transaction_group_days', 'transaction_group_hours'] as const),
] as const;
export type TotalsTable = (typeof TOTALS_TABLES)[number];

export type Span = 'day' | 'hour';

/** A part of a period. `from` and `to` are UTC days or hours since 1970-01-01; of `instant`, milliseconds. */
export interface PeriodPart extends TimeRange {
  readonly of: Span | 'instant';
}

/** A part of a period with the table that answers for it. */
export interface TotalsPart extends PeriodPart {
  readonly table: TotalsTable | 'transactions';
}
