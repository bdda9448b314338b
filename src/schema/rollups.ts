/** Tables of sums of transactions by spans of time, which triggers maintain (decisions.md#exact-totals). */
import { TOTAL_SPANS } from '../platform/timestamps.js';
import { PAYMENT_COLUMNS, payments } from './payments.js';
import { integer, table, type Table } from './table.js';

/** The spans as an SQL list of rows, the shortest first: rows are locked in the order of their keys. */
export const SPAN_VALUES = TOTAL_SPANS.toReversed()
  .map((span) => `(${span})`)
  .join(', ');

const OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
/** Columns with sums: numbers of transactions and of payments with each outcome, and their amounts. */
export const SUMS = [
  'total',
  ...OUTCOMES.map((each) => `${each}_count` as const),
  'amount_total',
  ...OUTCOMES.map((each) => `${each}_amount` as const),
] as const;
type Sum = (typeof SUMS)[number];

/** SQL of the numbers that the transaction `row` adds to each of `SUMS`. */
export function addends(row: string): readonly string[] {
  const amount = `case when ${row}.amount > 0 then ${row}.amount else 0 end`;
  return [
    '1',
    ...OUTCOMES.map((outcome) => `case when ${row}.payment_outcome = '${outcome}' then 1 else 0 end`),
    amount,
    ...OUTCOMES.map(
      (outcome) =>
        `case when ${row}.payment_outcome = '${outcome}' and ${row}.amount > 0 then ${row}.amount else 0 end`,
    ),
  ];
}

/** Columns of transactions on which sums depend, besides `company_id`. */
export const SUMMED = [
  'started_at',
  'status',
  'transaction_type',
  'app_name',
  'amount',
  'payment_outcome',
  ...PAYMENT_COLUMNS,
];

export interface Rollup extends Pick<Table, 'name'> {
  /** Columns by which it is grouped, besides the company and the span. */
  readonly kind: readonly string[];
}

const OF_TRANSACTIONS = payments.transactions.columns;

/** A rollup by the company, the span and `kind`, columns of transactions. */
function rollup<Kind extends keyof typeof OF_TRANSACTIONS>(
  kind: readonly Kind[],
  indexes: readonly (readonly string[])[] = [],
) {
  const kinds = kind.map((each) => [each, { ...OF_TRANSACTIONS[each], fallback: null }]);
  const columns = {
    company_id: integer,
    span: integer,
    /** First minute of the span, in minutes since 1970. */
    start: integer,
    ...(Object.fromEntries(kinds) as Pick<typeof OF_TRANSACTIONS, Kind>),
    ...(Object.fromEntries(SUMS.map((each) => [each, integer])) as Record<Sum, typeof integer>),
  };
  const key = ['company_id', 'span', 'start', ...kind];
  return { ...table(columns, { key, indexes, isKeyed: true, fillFactor: 70 }), kind };
}

const KIND = ['status', 'transaction_type'] as const;
const PAID = [...KIND, 'payment_status'] as const;

export const rollups = {
  transaction_totals: rollup(KIND),
  transaction_app_totals: rollup([...KIND, 'app_name'], [['app_name', 'span', 'start']]),
  transaction_payment_totals: rollup([...PAID, 'payment_type', 'brand', 'acquirer']),
  transaction_installment_totals: rollup([...PAID, 'installments']),
  transaction_group_totals: rollup([...PAID, 'group_id']),
};

export const ROLLUPS: readonly Rollup[] = Object.entries(rollups).map(([name, { kind }]) => ({ name, kind }));

export const keyOf = ({ kind }: Rollup): readonly string[] => ['company_id', 'span', 'start', ...kind];

/** A query for the company, span and start of wrong rows. `minute` is SQL for the minute of a transaction. */
export function wrongRows({ name, kind }: Rollup, minute: string): string {
  const stored = `select company_id, span, start, ${kind.join()}, ${SUMS.join()} from ${name}
    where ${SUMS.map((sum) => `${sum} <> 0`).join(' or ')}`;
  const counted = `select company_id, span, ${minute} / span * span as start, ${kind.join()},
      ${addends('t')
        .map((each) => `sum(${each})`)
        .join()}
    from transactions as t cross join (${TOTAL_SPANS.map((span) => `select ${span} as span`).join(' union all ')}) as spans
    group by company_id, span, ${minute} / span * span, ${kind.join()}`;
  return `select company_id, span, start from (
      select * from (${stored} except ${counted}) as extra union all select * from (${counted} except ${stored}) as missing
    ) as wrong group by company_id, span, start`;
}
