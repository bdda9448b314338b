import { DAY, HOUR, UNIT_PARTS } from '../../platform/clock.js';

/** A table of totals of transactions, which triggers maintain (decisions.md#exact-totals). */
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

/** Milliseconds. */
export const UNIT_MS = { day: DAY, hour: HOUR } as const;

/** The columns of the primary key of a rollup, after the company. */
export function keyOf({ table, unit, kind }: Rollup): readonly string[] {
  if (table !== 'transaction_app_days') return [unit, ...kind];
  return ['app_name', unit, ...kind.filter((name) => name !== 'app_name')];
}

/** The number of transactions, the amount of all, and of the payments with each outcome. */
const PAYMENT_OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
const SUMS: readonly string[] = [
  ...['total', 'amount_total'],
  ...PAYMENT_OUTCOMES.map((outcome) => `${outcome}_amount`),
];

/** One of the sums of a rollup: a column, and what is summed up in it. */
export interface RollupSum {
  readonly column: string;
  /** What each transaction adds: itself, its amount, or its amount if the payment has this outcome. */
  readonly of: 'total' | 'amount' | (typeof PAYMENT_OUTCOMES)[number];
  /** Only of transactions so many milliseconds after the beginning of the unit, or later. */
  readonly from: number;
}

export function sumsOf(unit: Rollup['unit']): readonly RollupSum[] {
  const of = ['total', 'amount', ...PAYMENT_OUTCOMES] as const;
  return [{ name: '', from: 0 }, ...UNIT_PARTS[unit]].flatMap(({ name, from }) =>
    of.map((each, index) => ({
      column: [SUMS[index], ...(name === '' ? [] : [name])].join('_'),
      of: each,
      from,
    })),
  );
}

export const columnsOf = (unit: Rollup['unit']): readonly string[] =>
  sumsOf(unit).map(({ column }) => column);

/** The sums over `transactions`, as SQL. `elapsed` gives the milliseconds since the beginning of the unit as SQL. */
export function countedSums(unit: Rollup['unit'], elapsed: string): readonly string[] {
  return sumsOf(unit).map(({ of, from }) => {
    const conditions = [
      ...(of === 'total' || of === 'amount' ? [] : [`payment_outcome = '${of}'`]),
      ...(from === 0 ? [] : [`${elapsed} >= ${from}`]),
    ];
    const filter = conditions.length === 0 ? '' : ` filter (where ${conditions.join(' and ')})`;
    return of === 'total' ? `count(*)${filter}` : `coalesce(sum(amount)${filter}, 0)`;
  });
}
