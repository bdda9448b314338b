/** Tables of sums of transactions by UTC day or hour, which triggers maintain (decisions.md#exact-totals). */
import { DAY, HOUR, UNIT_PARTS } from '../platform/clock.js';
import { integer, text } from './columns.js';
import { table, type Table } from './table.js';

type Unit = 'day' | 'hour';

/** Milliseconds of each unit. */
export const UNIT_MS = { day: DAY, hour: HOUR } as const;

const PAYMENT_OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
const SUMS = ['total', 'amount_total', 'approved_amount', 'denied_amount', 'cancelled_amount'] as const;

/** Sums over the whole unit, and over the transactions from a time within it on; see `UNIT_PARTS`. */
type SumName<Of extends Unit> =
  | (typeof SUMS)[number]
  | `${(typeof SUMS)[number]}_${Of extends 'day' ? 'from_noon' : 'from_15' | 'from_30'}`;

/** A sum of a rollup: its column, and what it adds up. */
export interface RollupSum {
  readonly column: string;
  /**
   * Value of each transaction in the sum: 1 (`total`), its amount (0 without one), or its amount if the
   * payment has this outcome.
   */
  readonly of: 'total' | 'amount' | (typeof PAYMENT_OUTCOMES)[number];
  /** Milliseconds after the start of the unit from which on transactions count. */
  readonly from: number;
}

export function sumsOf(unit: Unit): readonly RollupSum[] {
  const of = ['total', 'amount', ...PAYMENT_OUTCOMES] as const;
  return [{ name: '', from: 0 }, ...UNIT_PARTS[unit]].flatMap(({ name, from }) =>
    of.map((each, index) => ({
      column: [SUMS[index], ...(name === '' ? [] : [name])].join('_'),
      of: each,
      from,
    })),
  );
}

export const columnsOf = (unit: Unit): readonly string[] => sumsOf(unit).map(({ column }) => column);

export interface Rollup extends Pick<Table, 'name' | 'key'> {
  readonly unit: Unit;
  /** Columns by which it is grouped, besides the company and the unit. */
  readonly kind: readonly string[];
}

/** Columns of transactions by which they are summed up. */
const VALUES = {
  status: text,
  transaction_type: text,
  app_name: text,
  payment_status: text,
  payment_type: text,
  brand: text,
  acquirer: text,
  installments: integer,
  group_id: integer,
};
type Value = keyof typeof VALUES;

/** A rollup by the company, the unit (days or hours since 1970-01-01, UTC) and `kind`. */
function rollup<Of extends Unit, Kind extends Value>(
  name: string,
  unit: Of,
  kind: readonly Kind[],
  key: readonly string[] = [unit, ...kind],
) {
  const columns = {
    ...{ company_id: integer, [unit]: integer },
    ...Object.fromEntries(kind.map((each) => [each, VALUES[each]])),
    ...Object.fromEntries(columnsOf(unit).map((each) => [each, integer])),
  } as Pick<typeof VALUES, Kind> & Record<'company_id' | Of | SumName<Of>, typeof integer>;
  const keyed = { key: ['company_id', ...key], isKeyed: true, fillFactor: 70 };
  return { ...table(name, columns, keyed), unit, kind };
}

const TOTAL = ['status', 'transaction_type'] as const;
const KIND = [...TOTAL, 'app_name'] as const;
const PAID = [...TOTAL, 'payment_status'] as const;
const PAYMENT = [...PAID, 'payment_type', 'brand', 'acquirer'] as const;
const INSTALLMENT = [...PAID, 'installments'] as const;
const GROUP = [...PAID, 'group_id'] as const;

export const rollups = {
  transaction_days: rollup('transaction_days', 'day', KIND),
  transaction_hours: rollup('transaction_hours', 'hour', KIND),
  transaction_day_totals: rollup('transaction_day_totals', 'day', TOTAL),
  transaction_hour_totals: rollup('transaction_hour_totals', 'hour', TOTAL),
  /** The rows of `transaction_days`, in the order of applications. */
  transaction_app_days: rollup('transaction_app_days', 'day', KIND, ['app_name', 'day', ...TOTAL]),
  transaction_payment_days: rollup('transaction_payment_days', 'day', PAYMENT),
  transaction_payment_hours: rollup('transaction_payment_hours', 'hour', PAYMENT),
  transaction_installment_days: rollup('transaction_installment_days', 'day', INSTALLMENT),
  transaction_installment_hours: rollup('transaction_installment_hours', 'hour', INSTALLMENT),
  transaction_group_days: rollup('transaction_group_days', 'day', GROUP),
  transaction_group_hours: rollup('transaction_group_hours', 'hour', GROUP),
};

export const ROLLUPS: readonly Rollup[] = Object.values(rollups);

/** The columns of the primary key of a rollup, after the company. */
export const keyOf = ({ key }: Rollup): readonly string[] => key.slice(1);

/** The sums over `transactions` as SQL. `elapsed` is SQL for the milliseconds since the start of the unit. */
export function countedSums(unit: Unit, elapsed: string): readonly string[] {
  return sumsOf(unit).map(({ of, from }) => {
    const conditions = [
      ...(of === 'total' || of === 'amount' ? [] : [`payment_outcome = '${of}'`]),
      ...(from === 0 ? [] : [`${elapsed} >= ${from}`]),
    ];
    const filter = conditions.length === 0 ? '' : ` filter (where ${conditions.join(' and ')})`;
    return of === 'total' ? `count(*)${filter}` : `coalesce(sum(amount)${filter}, 0)`;
  });
}
