import { sql, type RawBuilder, type SqlBool } from 'kysely';

import { specialSql } from '../../../database/company/special-sql.js';
import { indexedBy, instant, unitsSince1970 } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import type { TimeRange, CountedTimeRange } from '../time-range.model.js';
import type { TotalsTable } from '../totals/transaction-totals.model.js';
import type { PaymentOutcome } from '../transaction.model.js';
import type { Bucket, Dimension, SummaryRow } from './transaction-summary.model.js';

/** The table or index from which a time range is summed up. `from` and `to` are in its unit: days, hours or ms. */
export interface Source extends TimeRange {
  readonly of: TotalsTable | 'newest' | 'serial' | 'logical_number';
}

export interface SummaryQuery {
  readonly sources: readonly Source[];
  /** Over the table `t`, which is any of the sources. */
  readonly where: RawBuilder<SqlBool>;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
  readonly limit: number;
}

/** In milliseconds. */
const LENGTHS: Readonly<Record<Bucket, number | null>> = { hour: HOUR, day: DAY, none: null };

const COLUMNS = {
  status: 'status',
  transactionType: 'transaction_type',
  appName: 'app_name',
  logicalNumber: 'logical_number',
} as const;

interface Totals {
  readonly bucket: number | null;
  readonly status?: SummaryRow['status'];
  readonly transaction_type?: SummaryRow['transactionType'];
  readonly app_name?: string;
  readonly logical_number?: string;
  readonly group_id?: number | null;
  readonly total: number;
  readonly amount_total: number;
  readonly approved_amount: number;
  readonly denied_amount: number;
  readonly cancelled_amount: number;
}

const OUTCOMES: readonly PaymentOutcome[] = ['approved', 'denied', 'cancelled'];
/** The sums that every source has. */
const SUMS = ['total', 'amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];
const SUMS_OF_SUMS = sql.join(SUMS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

/** Ordered by time and dimensions, without empty rows; one statement. */
export async function selectSummary(work: ReadWork, query: SummaryQuery): Promise<SummaryRow[]> {
  if (query.sources.length === 0) return [];
  const { db } = specialSql(work);
  const parts = query.sources.map((source) => partOf(work, query, source));
  const names = [sql.ref('bucket'), ...columnsIn(query).map((name) => sql.ref(name))];
  const own = sql.join(names);
  // Transactions of numbers without a group come first.
  const order = names.map((name) => sql`${name} nulls first`);
  const { rows } = await sql<Totals>`
    select ${own}, ${SUMS_OF_SUMS}
    from ${withGroups(work, query, sql`(${sql.join(parts, sql` union all `)}) as part`)}
    group by ${own} order by ${sql.join(order)} limit ${query.limit}`.execute(db);
  return rows.map(summaryRowOf);
}

/** The columns of the result, besides the bucket. */
function columnsIn({ by }: SummaryQuery): string[] {
  return by.map((dimension) => (dimension === 'group' ? 'group_id' : COLUMNS[dimension]));
}

/** The columns that are read from the sources. */
function columnsRead({ by }: SummaryQuery): string[] {
  return [...new Set(by.map((dimension) => COLUMNS[dimension === 'group' ? 'logicalNumber' : dimension]))];
}

/** The rows of one source, summed up in the order of its index where possible. */
function partOf(work: ReadWork, query: SummaryQuery, source: Source): RawBuilder<unknown> {
  const { companyId } = specialSql(work);
  const { unit, table, time, total, amounts } = FORMS[source.of];
  const columns = columnsRead(query).map((name) => sql.ref(`t.${name}`));
  const bucket = bucketOf(query.bucket, FORMS[source.of]);
  // If the bucket is the unit of the source, the index of the source is in the order of buckets.
  const span = LENGTHS[query.bucket] === unit ? time : sql.ref('bucket');
  const grouping = [...(query.bucket === 'none' ? [] : [span]), ...columns];
  const begin = unit === 1 ? instant.toColumn(new Date(source.from)) : source.from;
  const end = unit === 1 ? instant.toColumn(new Date(source.to)) : source.to;
  return sql`select * from (
    select ${sql.join([sql`${bucket} as bucket`, ...columns])}, ${sql.join([total, ...amounts].map(named))}
    from ${table()} where t.company_id = ${companyId}
      and ${time} >= ${begin} and ${time} < ${end} and ${query.where}
    ${grouping.length > 0 ? sql`group by ${sql.join(grouping)}` : sql``}
    having ${total} > 0 ${limitOf(query)}) as summed`;
}

function named(value: RawBuilder<number>, index: number): RawBuilder<unknown> {
  return sql`${value} as ${sql.ref(SUMS[index] ?? '')}`;
}

/** Not by group: rows of several logical numbers become one row, so a limit here would lose some. */
function limitOf({ by, limit }: SummaryQuery): RawBuilder<unknown> {
  return by.includes('group') ? sql`` : sql`limit ${limit}`;
}

interface Form {
  /** Unit of the time column, in milliseconds. */
  readonly unit: number;
  readonly table: () => RawBuilder<unknown>;
  readonly time: RawBuilder<number>;
  /** Units of so many milliseconds since 1970. */
  readonly unitsOf: (length: number) => RawBuilder<number>;
  readonly total: RawBuilder<number>;
  /** In the order of `SUMS`. */
  readonly amounts: readonly RawBuilder<number>[];
}

const kept = (table: TotalsTable, time: string, unit: number): Form => ({
  unit,
  table: () => sql`${sql.table(table)} as t`,
  time: sql`${sql.ref(`t.${time}`)}`,
  unitsOf: (length) => sql`${sql.ref(`t.${time}`)} / ${sql.lit(length / unit)}`,
  total: sql`coalesce(sum(t.total), 0)`,
  amounts: SUMS.slice(1).map((name) => sql`coalesce(sum(${sql.ref(`t.${name}`)}), 0)`),
});

const eachTransaction = (index: string): Form => ({
  unit: 1,
  table: () => indexedBy('transactions', 't', `transactions_${index}`),
  time: sql`t.started_at`,
  unitsOf: (length) => unitsSince1970('t.started_at', length),
  total: sql`count(*)`,
  amounts: [
    sql`coalesce(sum(t.amount), 0)`,
    ...OUTCOMES.map(
      (outcome) =>
        sql<number>`coalesce(sum(case when t.payment_outcome = ${sql.lit(outcome)} then t.amount else 0 end), 0)`,
    ),
  ],
});

const FORMS: Readonly<Record<Source['of'], Form>> = {
  transaction_days: kept('transaction_days', 'day', DAY),
  transaction_hours: kept('transaction_hours', 'hour', HOUR),
  transaction_day_totals: kept('transaction_day_totals', 'day', DAY),
  transaction_hour_totals: kept('transaction_hour_totals', 'hour', HOUR),
  transaction_app_days: kept('transaction_app_days', 'day', DAY),
  newest: eachTransaction('newest'),
  serial: eachTransaction('serial'),
  logical_number: eachTransaction('logical_number'),
};

/** The beginning of the bucket, in milliseconds since 1970. */
function bucketOf(bucket: Bucket, { time, unit, unitsOf }: Form): RawBuilder<number | null> {
  const length = LENGTHS[bucket];
  if (length === null) return sql`null`;
  if (length === unit) return sql`${time} * ${sql.lit(length)}`;
  return sql`${unitsOf(length)} * ${sql.lit(length)}`;
}

/** By group, sums up by logical number first and joins the present group of each number. */
function withGroups(work: ReadWork, query: SummaryQuery, parts: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!query.by.includes('group')) return parts;
  const { companyId } = specialSql(work);
  const names = sql.join(['bucket', ...columnsRead(query)].map((name) => sql.ref(name)));
  return sql`(select ${names}, ${SUMS_OF_SUMS}
      from ${parts} group by ${names}) as s
    left join (select number, group_id from logical_numbers where company_id = ${companyId}) as n
      on n.number = s.logical_number`;
}

function summaryRowOf(row: Totals): SummaryRow {
  return {
    bucketStart: row.bucket === null ? null : new Date(row.bucket),
    status: row.status ?? null,
    transactionType: row.transaction_type ?? null,
    appName: row.app_name ?? null,
    logicalNumber: row.logical_number ?? null,
    groupId: row.group_id ?? null,
    count: row.total,
    amountTotal: row.amount_total,
    approvedAmount: row.approved_amount,
    deniedAmount: row.denied_amount,
    cancelledAmount: row.cancelled_amount,
  };
}

/** Numbers of transactions in the hours that overlap the range, ascending, without empty hours. */
export async function hoursIn(work: ReadWork, { from, to }: TimeRange): Promise<readonly CountedTimeRange[]> {
  const { db, companyId } = specialSql(work);
  const rows = await db
    .selectFrom('transaction_hour_totals')
    .select((column) => ['hour', column.fn.sum<number>('total').as('total')])
    .where('company_id', '=', companyId)
    .where('hour', '>=', Math.floor(from / HOUR))
    .where('hour', '<', Math.ceil(to / HOUR))
    .groupBy('hour')
    .having((column) => column.fn.sum('total'), '>', 0)
    .orderBy('hour')
    .execute();
  return rows.map(({ hour, total }) => ({ from: hour * HOUR, to: (hour + 1) * HOUR, total }));
}
