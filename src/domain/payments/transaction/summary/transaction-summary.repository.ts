import { sql, type RawBuilder, type SqlBool } from 'kysely';

import { pairTable } from '../../../../database/bound-lists.js';
import { greaterOf, indexedBy, instant, instantIn, shiftedUnits } from '../../../../database/storage.js';
import { type ReadWork, specialSql } from '../../../../database/work.js';
import { DAY, HOUR, MINUTE, type Span } from '../../../../platform/clock.js';
import type { OffsetChange } from '../../../../platform/time-zones.js';
import { SUMS } from '../../../../schema/rollups.js';
import type { TotalsTable } from '../transaction-totals.repository.js';
import type { TimeRange, PaymentOutcome } from '../transaction.model.js';
import {
  startOf,
  type Calendar,
  DIMENSIONS,
  fieldOf,
  type Bucket,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';

/** Index by which single transactions are read. */
export type TransactionIndex = 'newest' | 'serial' | 'logical_number';

/** Spans of a table of totals, or transactions, that a summary reads. Each span is within one bucket. */
export interface Source {
  readonly of: { readonly table: TotalsTable; readonly span: Span } | { readonly index: TransactionIndex };
  /** Ascending; at least one. */
  readonly ranges: readonly TimeRange[];
}

export interface SummaryQuery {
  readonly sources: readonly Source[];
  /** Condition on the table `t`, which is any of the sources. */
  readonly where: RawBuilder<SqlBool>;
  readonly calendar: Calendar;
  readonly by: readonly Dimension[];
  readonly limit: number;
}

/** The column of each dimension, in transactions and in all tables of totals that have it. */
const COLUMNS: Readonly<Record<Dimension, string>> = {
  status: 'status',
  transactionType: 'transaction_type',
  appName: 'app_name',
  logicalNumber: 'logical_number',
  group: 'group_id',
  paymentStatus: 'payment_status',
  paymentType: 'payment_type',
  brand: 'brand',
  acquirer: 'acquirer',
  installments: 'installments',
};

/** Values of columns that represent no value, because these columns are never null. */
const NONE: Partial<Record<Dimension, string | number>> = {
  group: 0,
  paymentStatus: '',
  paymentType: '',
  brand: '',
  acquirer: '',
  installments: -1,
};

const OUTCOMES: readonly PaymentOutcome[] = ['approved', 'denied', 'cancelled'];
/** The sums over a table of totals, and over transactions, in the order of `SUMS`. */
const SUMS_OF_TOTALS = SUMS.map((name) => sql`coalesce(sum(${sql.ref(`t.${name}`)}), 0)`);
const SUMS_OF_TRANSACTIONS = [
  sql`count(*)`,
  sql`coalesce(sum(t.amount), 0)`,
  ...OUTCOMES.map(
    (outcome) =>
      sql`coalesce(sum(case when t.payment_outcome = ${sql.lit(outcome)} then t.amount else 0 end), 0)`,
  ),
];
const SUMS_OF_SUMS = sql.join(SUMS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

type Totals = Readonly<Record<string, string | number | null>>;

/** Summary rows ordered by time and dimensions, without empty rows. One statement. */
export async function selectSummary(work: ReadWork, query: SummaryQuery): Promise<SummaryRow[]> {
  const { sources, calendar, by, limit } = query;
  if (sources.length === 0) return [];
  const { db } = specialSql(work);
  const parts = sources.map((source) => partOf(work, query, source));
  const columns = by.map((dimension) => sql.ref(COLUMNS[dimension]));
  const places = [0, ...by.keys()].map((_, index) => sql.raw(String(index + 1)));
  const { rows } = await sql<Totals>`
    select ${sql.join([sql`${bucketOfKey(calendar.bucket)} as period`, ...columns])}, ${SUMS_OF_SUMS}
    from (${sql.join(parts, sql` union all `)}) as part
    group by ${sql.join(places)}
    order by ${sql.join(places.map((place) => sql`${place} nulls first`))}
    limit ${limit}`.execute(db);
  return rows.map((row) => summaryRowOf(row, query));
}

/** Sums of one source, grouped in the order of its index if possible. */
function partOf(
  work: ReadWork,
  { calendar, by, where, limit }: SummaryQuery,
  source: Source,
): RawBuilder<unknown> {
  const { bucket } = calendar;
  const isOfTotals = 'table' in source.of;
  const columns = by.map((dimension) => sql.ref(`t.${COLUMNS[dimension]}`));
  const key = keyOfRow(calendar, isOfTotals);
  // Half hours have the order of the index, and each hour has two at most.
  const isByHalfHour = bucket === 'hour' && isOfTotals;
  const grouping = [...(bucket === 'none' ? [] : [sql.ref(isByHalfHour ? 't.start' : 'bucket')]), ...columns];
  const most = isByHalfHour ? 2 * limit : limit;
  const sums = (isOfTotals ? SUMS_OF_TOTALS : SUMS_OF_TRANSACTIONS).map(
    (sum, index) => sql`${sum} as ${sql.ref(SUMS[index] ?? '')}`,
  );
  // Days are joined to weeks and months, so all of them are needed.
  const limited = bucket === 'week' || bucket === 'month' ? sql`` : sql`limit ${most}`;
  return sql`select * from (
    select ${sql.join([sql`${key} as bucket`, ...columns, ...sums])}
    from ${rowsOf(work, source)} and ${where}
    ${grouping.length > 0 ? sql`group by ${sql.join(grouping)}` : sql``}
    having ${isOfTotals ? SUMS_OF_TOTALS[0] : SUMS_OF_TRANSACTIONS[0]} > 0 ${limited}) as summed`;
}

/** FROM clause of a source, with a condition. */
function rowsOf(work: ReadWork, { of, ranges }: Source): RawBuilder<unknown> {
  const { companyId } = specialSql(work);
  const isOfTotals = 'table' in of;
  const table = isOfTotals
    ? sql`${sql.table(of.table)} as t`
    : indexedBy('transactions', 't', `transactions_${of.index}`);
  const own = sql`t.company_id = ${companyId} ${isOfTotals ? sql`and t.span = ${sql.lit(of.span)}` : sql``}`;
  const time = sql.ref(isOfTotals ? 't.start' : 't.started_at');
  const [first, ...others] = ranges;
  if (first !== undefined && others.length === 0) {
    const [from, to] = [first.from, first.to].map((at) =>
      isOfTotals ? at / MINUTE : instant.toColumn(new Date(at)),
    );
    return sql`${table} where ${own} and ${time} >= ${from} and ${time} < ${to}`;
  }
  const unit = isOfTotals ? MINUTE : 1;
  const pairs = ranges.map(({ from, to }) => [from / unit, to / unit] as const);
  const [from, to] = ['pair.id', 'pair.other'].map((column) =>
    isOfTotals ? sql.ref(column) : instantIn(column),
  );
  return sql`${pairTable('integer', pairs)} cross join ${table}
    where ${own} and ${time} >= ${from} and ${time} < ${to}`;
}

/** SQL key of a row: null, its hour, or its local day, from which weeks and months are computed. */
function keyOfRow(calendar: Calendar, isOfTotals: boolean): RawBuilder<number | null> {
  if (calendar.bucket === 'none') return sql`null`;
  const offset = chosen(calendar, isOfTotals, ({ offset: each }) => each);
  if (calendar.bucket !== 'hour') return localUnits(isOfTotals, offset, DAY);
  return greaterOf(
    sql<number>`${localUnits(isOfTotals, offset, HOUR)} * ${sql.lit(HOUR)} - ${offset}`,
    chosen(calendar, isOfTotals, ({ at }) => at),
  );
}

/** Local days or hours since 1970. A day is added before the division, which rounds negative numbers up. */
function localUnits(isOfTotals: boolean, offset: RawBuilder<number>, unit: number): RawBuilder<number> {
  const shift = sql<number>`${offset} + ${sql.lit(DAY)}`;
  const since = isOfTotals
    ? sql`(t.start * ${sql.lit(MINUTE)} + ${shift}) / ${sql.lit(unit)}`
    : shiftedUnits('t.started_at', shift, unit);
  return sql`(${since} - ${sql.lit(DAY / unit)})`;
}

/** SQL number of the offset change that applies at the time of a row. */
function chosen(
  { offsets }: Calendar,
  isOfTotals: boolean,
  number: (change: OffsetChange) => number,
): RawBuilder<number> {
  const values = offsets.map((change) => sql.lit(number(change)));
  const cases = offsets
    .slice(1)
    .map(({ at }, index) =>
      isOfTotals
        ? sql`when t.start < ${sql.lit(Math.ceil(at / MINUTE))} then ${values[index]}`
        : sql`when t.started_at < ${instant.toColumn(new Date(at))} then ${values[index]}`,
    );
  const last = values.at(-1) ?? sql.lit(0);
  return cases.length === 0 ? sql`${last}` : sql`case ${sql.join(cases, sql` `)} else ${last} end`;
}

/** SQL bucket of a key of `keyOfRow` in the column `bucket`. */
function bucketOfKey(bucket: Bucket): RawBuilder<number | null> {
  const key = sql.ref<number>('bucket');
  if (bucket === 'week') return sql`(${key} + 3) / 7`;
  return bucket === 'month' ? monthOf(key) : sql`${key}`;
}

/** Months since March of the year 0, from days since 1970, by cycles of 400, 100, 4 years and 1 year. */
function monthOf(day: RawBuilder<number>): RawBuilder<number> {
  const sinceYear0 = sql`(${day} + 719468)`;
  const ofEra = sql`(${sinceYear0} % 146097)`;
  const years = sql`((${ofEra} - ${ofEra} / 1460 + ${ofEra} / 36524 - ${ofEra} / 146096) / 365)`;
  const ofYear = sql`(${ofEra} - (365 * ${years} + ${years} / 4 - ${years} / 100))`;
  return sql`(${sinceYear0} / 146097 * 400 + ${years}) * 12 + (5 * ${ofYear} + 2) / 153`;
}

function summaryRowOf(row: Totals, { calendar, by }: SummaryQuery): SummaryRow {
  const values = DIMENSIONS.map((dimension) => {
    const value = by.includes(dimension) ? (row[COLUMNS[dimension]] ?? null) : null;
    return [fieldOf(dimension), value === NONE[dimension] ? null : value] as const;
  });
  const sumOf = (name: (typeof SUMS)[number]): number => Number(row[name]);
  return {
    ...(Object.fromEntries(values) as Pick<SummaryRow, ReturnType<typeof fieldOf>>),
    bucketStart: startOf(calendar, Number(row.period)),
    count: sumOf('total'),
    amountTotal: sumOf('amount_total'),
    approvedAmount: sumOf('approved_amount'),
    deniedAmount: sumOf('denied_amount'),
    cancelledAmount: sumOf('cancelled_amount'),
  };
}
