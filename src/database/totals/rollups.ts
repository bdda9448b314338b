import { DAY, HOUR, UNIT_PARTS } from '../../platform/clock.js';

/** A table of totals of transactions, which triggers maintain (decisions.md#exact-totals). */
export interface Rollup {
  readonly table: string;
  readonly unit: 'day' | 'hour';
  /** Columns by which it is grouped, besides the company and the unit. */
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

/** Milliseconds of each unit. */
export const UNIT_MS = { day: DAY, hour: HOUR } as const;

/** The columns of the primary key of a rollup, after the company. */
export function keyOf({ table, unit, kind }: Rollup): readonly string[] {
  if (table !== 'transaction_app_days') return [unit, ...kind];
  return ['app_name', unit, ...kind.filter((name) => name !== 'app_name')];
}

/**
 * Outcomes of payments. The sums are the number of transactions, the amount of all, and the amount by
 * outcome.
 */
const PAYMENT_OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
const SUMS: readonly string[] = [
  ...['total', 'amount_total'],
  ...PAYMENT_OUTCOMES.map((outcome) => `${outcome}_amount`),
];

/** A sum of a rollup: its column, and what it adds up. */
export interface RollupSum {
  readonly column: string;
  /**
   * Value of each transaction in the sum: 1 (`total`), its amount, or its amount if the payment has this
   * outcome.
   */
  readonly of: 'total' | 'amount' | (typeof PAYMENT_OUTCOMES)[number];
  /** Milliseconds after the start of the unit from which on transactions count. */
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

/** The sums over `transactions` as SQL. `elapsed` is SQL for the milliseconds since the start of the unit. */
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
