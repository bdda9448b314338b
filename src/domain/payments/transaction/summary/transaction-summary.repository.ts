import { sql, type RawBuilder, type SqlBool } from 'kysely';

import { specialSql } from '../../../../database/company/company-rows.js';
import { sumsOfRanges, indexedBy, instantIn, type Sql } from '../../../../database/storage.js';
import type { ReadWork } from '../../../../database/work.js';
import type { Bucket, Segment } from '../../../../platform/buckets.js';
import { MINUTE } from '../../../../platform/clock.js';
import type { TotalSpan } from '../../../../platform/timestamps.js';
import { addends, SUMS } from '../../../../schema/rollups.js';
import type { TotalsTable } from '../transaction-totals.repository.js';
import { columnOf } from '../transaction.model.js';
import {
  DIMENSIONS,
  fieldOf,
  type Dimension,
  type SummaryOrder,
  type SummaryRow,
} from './transaction-summary.model.js';

export type TransactionIndex = 'newest' | 'serial' | 'logical_number' | 'nsu' | 'authorization';

/** Spans of a table of totals, or transactions, that a summary reads. Each span is within one bucket. */
export interface Source {
  readonly of:
    | { readonly table: TotalsTable; readonly span: TotalSpan }
    | { readonly index: TransactionIndex };
  readonly ranges: readonly Segment[];
}

export interface SummaryQuery {
  readonly sources: readonly Source[];
  readonly where: RawBuilder<SqlBool>;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
  readonly order: SummaryOrder;
  /** True if there may be more rows than `limit` after the first `skip` ones. */
  readonly isPage: boolean;
  readonly skip: number;
  readonly limit: number;
  /** Payments that a row has at least. */
  readonly minPayments: number;
}

/** The sums over a table of totals, and over transactions, in the order of `SUMS`. */
const SUMS_OF_TOTALS = SUMS.map((name) => sql`coalesce(sum(${sql.ref(`t.${name}`)}), 0)`);
const SUMS_OF_TRANSACTIONS = addends('t').map((each) => sql`coalesce(sum(${sql.raw(each)}), 0)`);
const SUMS_OF_SUMS = sql.join(SUMS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

type Totals = Readonly<Record<string, string | number | null>>;

const PAYMENTS = sql`(sum(approved_count) + sum(denied_count) + sum(cancelled_count))`;
const ORDERS: Readonly<Record<SummaryOrder['field'], Sql>> = {
  time: sql.ref('bucket'),
  count: sql`sum(total)`,
  approvedCount: sql`sum(approved_count)`,
  deniedCount: sql`sum(denied_count)`,
  deniedPercent: sql`cast(sum(denied_count) as double precision) / nullif(${PAYMENTS}, 0)`,
  amountTotal: sql`sum(amount_total)`,
  approvedAmount: sql`sum(approved_amount)`,
  deniedAmount: sql`sum(denied_amount)`,
};

/** Summary rows without empty ones. One statement. */
export async function selectSummary(work: ReadWork, query: SummaryQuery): Promise<SummaryRow[]> {
  const { sources, by, order, skip, limit, minPayments } = query;
  if (sources.length === 0) return [];
  const { db } = specialSql(work);
  const parts = sources.map((source) => partOf(work, query, source));
  const columns = ['bucket', ...by.map(columnOf)].map((name) => sql.ref(name));
  const { rows } = await sql<Totals>`select ${sql.join(columns)}, ${SUMS_OF_SUMS}
    from (${sql.join(parts, sql` union all `)}) as part group by ${sql.join(columns)}
    ${minPayments === 0 ? sql`` : sql`having ${PAYMENTS} >= ${minPayments}`}
    order by ${ORDERS[order.field]} ${sql.raw(order.direction)} nulls last, ${sql.join(columns.map((column) => sql`${column} nulls first`))}
    limit ${limit} offset ${skip}`.execute(db);
  return rows.map((row) => summaryRowOf(row, query));
}

/** Sums of one source; without `isPage`, more than `limit` groups of it are more than the summary may have. */
function partOf(work: ReadWork, { by, where, isPage, limit }: SummaryQuery, { of, ranges }: Source) {
  const { companyId } = specialSql(work);
  const isOfTotals = 'table' in of;
  const unit = isOfTotals ? MINUTE : 1;
  const [first, last] = ['ranges.first', 'ranges.last'].map((end) =>
    isOfTotals ? sql.ref(end) : instantIn(end),
  );
  const [table, span, time] = isOfTotals
    ? [sql`${sql.table(of.table)} as t`, sql`and t.span = ${sql.lit(of.span)}`, sql`t.start`]
    : [indexedBy('transactions', 't', `transactions_${of.index}`), sql``, sql`t.started_at`];
  const sums = isOfTotals ? SUMS_OF_TOTALS : SUMS_OF_TRANSACTIONS;
  const query = sumsOfRanges({
    ranges: ranges.map(({ bucketStart, from, to }) => [bucketStart, from / unit, to / unit] as const),
    columns: by.map((dimension) => sql.ref(`t.${columnOf(dimension)}`)),
    sums: sums.map((sum, index) => sql`${sum} as ${sql.ref(SUMS[index] ?? '')}`),
    table,
    where: sql`t.company_id = ${companyId} ${span} and ${time} >= ${first} and ${time} < ${last} and ${where}`,
    having: sql`${sums[0]} > 0`,
  });
  return sql`select * from (${query} ${isPage ? sql`` : sql`limit ${limit}`}) as summed`;
}

/** A sum that `row` does not have is 0. */
export function summaryRowOf(row: Totals, { bucket, by }: Pick<SummaryQuery, 'bucket' | 'by'>): SummaryRow {
  const values = DIMENSIONS.map((dimension) => {
    const value = by.includes(dimension) ? (row[columnOf(dimension)] ?? null) : null;
    // Columns of totals are never null: these values stand for none.
    const isNone = value === '' || value === -1 || (dimension === 'group' && value === 0);
    return [fieldOf(dimension), isNone ? null : value] as const;
  });
  const sumOf = (name: (typeof SUMS)[number]): number => Number(row[name] ?? 0);
  return {
    ...(Object.fromEntries(values) as Pick<SummaryRow, ReturnType<typeof fieldOf>>),
    bucketStart: bucket === 'none' ? null : new Date(Number(row.bucket)),
    bucketEnd: null,
    count: sumOf('total'),
    approvedCount: sumOf('approved_count'),
    deniedCount: sumOf('denied_count'),
    cancelledCount: sumOf('cancelled_count'),
    amountTotal: sumOf('amount_total'),
    approvedAmount: sumOf('approved_amount'),
    deniedAmount: sumOf('denied_amount'),
    cancelledAmount: sumOf('cancelled_amount'),
  };
}
