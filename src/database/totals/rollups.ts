/** A table of totals of transactions, which triggers maintain. */
export interface Rollup {
  readonly table: string;
  readonly unit: 'day' | 'hour';
  /** The columns by which it is grouped, besides the company and the unit. */
  readonly kind: readonly string[];
}

const KIND = ['status', 'transaction_type', 'app_name'];
const PAID = ['status', 'transaction_type', 'payment_status'];
const PAYMENT = [...PAID, 'payment_type', 'brand', 'acquirer'];

export const ROLLUPS: readonly Rollup[] = [
  { table: 'transaction_days', unit: 'day', kind: KIND },
  { table: 'transaction_hours', unit: 'hour', kind: KIND },
  { table: 'transaction_day_totals', unit: 'day', kind: KIND.slice(0, 2) },
  { table: 'transaction_hour_totals', unit: 'hour', kind: KIND.slice(0, 2) },
  { table: 'transaction_app_days', unit: 'day', kind: KIND },
  { table: 'transaction_payment_days', unit: 'day', kind: PAYMENT },
  { table: 'transaction_payment_hours', unit: 'hour', kind: PAYMENT },
  { table: 'transaction_installment_days', unit: 'day', kind: [...PAID, 'installments'] },
  { table: 'transaction_installment_hours', unit: 'hour', kind: [...PAID, 'installments'] },
  { table: 'transaction_group_days', unit: 'day', kind: [...PAID, 'group_id'] },
  { table: 'transaction_group_hours', unit: 'hour', kind: [...PAID, 'group_id'] },
];

/** Their sums: the number of transactions, the amount of all, and of the payments with each outcome. */
const PAYMENT_OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
export const ROLLUP_SUMS: readonly string[] = [
  ...['total', 'amount_total'],
  ...PAYMENT_OUTCOMES.map((outcome) => `${outcome}_amount`),
];

/** The same sums over `transactions`, as SQL of both databases. */
export const COUNTED_SUMS: readonly string[] = [
  ...['count(*)', 'coalesce(sum(amount), 0)'],
  ...PAYMENT_OUTCOMES.map((o) => `coalesce(sum(amount) filter (where payment_outcome = '${o}'), 0)`),
];
