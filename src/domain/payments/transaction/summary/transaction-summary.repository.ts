import { sql, type RawBuilder, type SqlBool } from 'kysely';

import { idTable, inList } from '../../../../database/bound-lists.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { crossJoin, instant, startOfUnit } from '../../../../database/storage.js';
import type { ReadWork } from '../../../../database/work.js';
import { HOUR } from '../../../../platform/clock.js';
import type { TimeRange, CountedTimeRange } from '../time-range.model.js';
import { startOf, type Calendar } from './summary-calendar.model.js';
import { columnOf, valueOfColumn } from './summary-columns.model.js';
import { formOf, SUMS, type Form, type Source } from './summary-forms.repository.js';
import { bucketOfKey, keyOfRow } from './summary-keys.repository.js';
import type { Dimension, SummaryRow } from './transaction-summary.model.js';

export type { Source } from './summary-forms.repository.js';

export interface SummaryQuery {
  readonly sources: readonly Source[];
  /** Condition on the table `t`, which is any of the sources. */
  readonly where: RawBuilder<SqlBool>;
  readonly calendar: Calendar;
  readonly by: readonly Dimension[];
  readonly limit: number;
}

type Totals = Readonly<Record<string, string | number | null>>;

const SUMS_OF_SUMS = sql.join(SUMS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

/** Summary rows ordered by time and dimensions, without empty rows. One statement. */
export async function selectSummary(work: ReadWork, query: SummaryQuery): Promise<SummaryRow[]> {
  const { sources, calendar, by, limit } = query;
  if (sources.length === 0) return [];
  const { db } = specialSql(work);
  const parts = sources.map((source) => partOf(work, query, source));
  const columns = by.map((dimension) => sql.ref(columnOf(dimension)));
  const places = [0, ...by.keys()].map((_, index) => sql.raw(String(index + 1)));
  const { rows } = await sql<Totals>`
    select ${sql.join([sql`${bucketOfKey(calendar.bucket)} as period`, ...columns])}, ${SUMS_OF_SUMS}
    from (${sql.join(parts, sql` union all `)}) as part
    group by ${sql.join(places)} ${isCorrected(query) ? sql`having sum(total) > 0` : sql``}
    order by ${sql.join(places.map((place) => sql`${place} nulls first`))}
    limit ${limit}`.execute(db);
  return rows.map((row) => summaryRowOf(row, query));
}

/** Sums of one source, grouped in the order of its index if possible. */
function partOf(work: ReadWork, query: SummaryQuery, source: Source): RawBuilder<unknown> {
  const { calendar, by } = query;
  const form = formOf(source);
  const columns = by.map((dimension) => sql.ref(`t.${columnOf(dimension)}`));
  const key = keyOfRow(calendar, form.time);
  // The hours of a table of totals have the order of its key.
  const span = calendar.bucket === 'hour' && form.time.unit === HOUR ? form.time.name : 'bucket';
  const grouping = [...(calendar.bucket === 'none' ? [] : [sql.ref(span)]), ...columns];
  const sign = source.isTaken === true ? sql`-` : sql``;
  const sums = form.sums.map((sum, index) => sql`${sign}${sum} as ${sql.ref(SUMS[index] ?? '')}`);
  return sql`select * from (
    select ${sql.join([sql`${key} as bucket`, ...columns, ...sums])}
    from ${rowsOf(work, source, form)} and ${query.where}
    ${grouping.length > 0 ? sql`group by ${sql.join(grouping)}` : sql``}
    having ${form.sums[0]} > 0 ${limitOf(query)}) as summed`;
}

/** FROM clause of a source, with a condition. */
function rowsOf(work: ReadWork, source: Source, form: Form): RawBuilder<unknown> {
  const { companyId } = specialSql(work);
  const { time, table } = form;
  const column = sql.ref(time.name);
  const [from, to] = [source.from, source.to].map((at) =>
    time.unit === 1 ? instant.toColumn(new Date(at)) : at,
  );
  const { only, except = [] } = source;
  if (only !== undefined && time.unit === 1) {
    const [start, end] = [sql<number>`p.value`, sql<number>`p.value + 1`].map((hour) =>
      startOfUnit(hour, HOUR),
    );
    return sql`${idTable(only)} ${crossJoin} ${table()} on t.company_id = ${companyId}
      and ${column} >= ${start} and ${column} < ${end} where ${column} >= ${from} and ${column} < ${to}`;
  }
  const inTime =
    only === undefined
      ? sql`${column} >= ${from} and ${column} < ${to}`
      : sql`${column} ${inList('integer', only)}`;
  const rest = except.length === 0 ? sql`` : sql`and not (${column} ${inList('integer', except)})`;
  return sql`${table()} where t.company_id = ${companyId} and ${inTime} ${rest}`;
}

/** LIMIT of a source; none if its rows are joined (weeks, months) or subtracted, which needs all of them. */
function limitOf(query: SummaryQuery): RawBuilder<unknown> {
  const { bucket } = query.calendar;
  return bucket === 'week' || bucket === 'month' || isCorrected(query) ? sql`` : sql`limit ${query.limit}`;
}

const isCorrected = ({ sources }: SummaryQuery): boolean => sources.some(({ isTaken }) => isTaken === true);

function summaryRowOf(row: Totals, { calendar, by }: SummaryQuery): SummaryRow {
  const valueOf = (dimension: Dimension): string | number | null =>
    by.includes(dimension) ? valueOfColumn(dimension, row[columnOf(dimension)] ?? null) : null;
  const sumOf = (name: string): number => Number(row[name]);
  return {
    bucketStart: startOf(calendar, Number(row.period)),
    status: valueOf('status') as SummaryRow['status'],
    transactionType: valueOf('transactionType') as SummaryRow['transactionType'],
    appName: valueOf('appName') as string | null,
    logicalNumber: valueOf('logicalNumber') as string | null,
    groupId: valueOf('group') as number | null,
    paymentStatus: valueOf('paymentStatus') as SummaryRow['paymentStatus'],
    paymentType: valueOf('paymentType') as string | null,
    brand: valueOf('brand') as string | null,
    acquirer: valueOf('acquirer') as string | null,
    installments: valueOf('installments') as number | null,
    count: sumOf('total'),
    amountTotal: sumOf('amount_total'),
    approvedAmount: sumOf('approved_amount'),
    deniedAmount: sumOf('denied_amount'),
    cancelledAmount: sumOf('cancelled_amount'),
  };
}

/** Number of transactions in each hour that overlaps the range, ascending, without empty hours. */
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

/** Part of a period from the first to the last hour with transactions; undefined without transactions. */
export async function recordedPart(work: ReadWork, { from, to }: TimeRange): Promise<TimeRange | undefined> {
  const { db, companyId } = specialSql(work);
  const hour = (
    order: 'asc' | 'desc',
  ): RawBuilder<number | null> => sql`(select hour from transaction_hour_totals
    where company_id = ${companyId} and hour >= ${Math.floor(from / HOUR)} and hour < ${Math.ceil(to / HOUR)}
      and total > 0
    order by hour ${sql.raw(order)} limit 1)`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select ${hour('asc')} as first, ${hour('desc')} as last`.execute(db);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return undefined;
  return { from: Math.max(first * HOUR, from), to: Math.min((last + 1) * HOUR, to) };
}

/** Number of transactions in some hours. */
export async function countInHours(work: ReadWork, hours: readonly number[]): Promise<number> {
  if (hours.length === 0) return 0;
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{
    total: number;
  }>`select coalesce(sum(total), 0) as total from transaction_hour_totals
    where company_id = ${companyId} and hour ${inList('integer', hours)}`.execute(db);
  return rows[0]?.total ?? 0;
}
