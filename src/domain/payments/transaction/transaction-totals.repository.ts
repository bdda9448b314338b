import { sql, type RawBuilder } from 'kysely';

import { inList } from '../../../database/bound-lists.js';
import { exactComparisons, toColumn, type Condition } from '../../../database/list/condition.js';
import { runCached } from '../../../database/statements.js';
import { instant } from '../../../database/storage.js';
import { type ReadWork, specialSql } from '../../../database/work.js';
import { MINUTE } from '../../../platform/clock.js';
import type { rollups } from '../../../schema/rollups.js';
import {
  halfHoursAround,
  type CountedTimeRange,
  type PeriodPart,
  type TimeRange,
} from './transaction-period.model.js';
import { meeting } from './transaction.repository.js';

export type TotalsTable = keyof typeof rollups;

/** Parts of a period, and the table with the totals of their spans. Parts of half hours are counted. */
export interface Totals {
  readonly table: TotalsTable;
  readonly parts: readonly PeriodPart[];
  /** Compares only fields of the table. */
  readonly where: Condition;
}

/** Number of matching transactions. One statement. */
export async function sumParts(work: ReadWork, totals: Totals): Promise<number> {
  const rows = await readParts<{ total: number }>(work, 'sums', totals, (part, from) => {
    const total = part.of === 'instant' ? sql`count(*)` : sql`coalesce(sum(t.total), 0)`;
    return sql`select ${total} as total ${from}`;
  });
  return rows.reduce((sum, { total }) => sum + total, 0);
}

/** Spans with matching transactions, and parts of half hours; newest first. One statement. */
export async function countSpans(work: ReadWork, totals: Totals): Promise<readonly CountedTimeRange[]> {
  const { parts } = totals;
  const rows = await readParts<{ part: number; start: number; total: number }>(
    work,
    'numbers',
    totals,
    (part, from) => {
      const index = sql.lit(parts.indexOf(part));
      return part.of === 'instant'
        ? sql`select ${index} as part, 0 as start, count(*) as total ${from}`
        : sql`select ${index} as part, t.start, sum(t.total) as total ${from} group by t.start`;
    },
  );
  const ranges = rows.flatMap(({ part, start, total }): CountedTimeRange[] => {
    const given = parts[part];
    if (given === undefined || total === 0) return [];
    if (given.of === 'instant') return [{ from: given.from, to: given.to, total }];
    return [{ from: start * MINUTE, to: (start + given.of) * MINUTE, total }];
  });
  return ranges.sort((one, other) => other.from - one.from);
}

async function readParts<R>(
  work: ReadWork,
  name: string,
  { table, where, parts }: Totals,
  build: (part: PeriodPart, from: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<R[]> {
  if (parts.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const query = (): RawBuilder<R> =>
    sql<R>`${sql.join(
      parts.map((part) => {
        const [from, to] = boundsOf(part);
        const own =
          part.of === 'instant'
            ? sql`from transactions as t where t.company_id = ${companyId}
                and t.started_at >= ${from} and t.started_at < ${to}`
            : sql`from ${sql.table(table)} as t where t.company_id = ${companyId}
                and t.span = ${sql.lit(part.of)} and t.start >= ${from} and t.start < ${to}`;
        return build(part, sql`${own} and ${meeting(where)}`);
      }),
      sql` union all `,
    )}`;
  const exact = exactComparisons(where);
  if (exact === undefined) return (await query().execute(db)).rows;
  const fields = exact.map(({ field }) => field);
  const shape = [`${name} of transactions`, table, ...parts.map(({ of }) => of), ...fields].join('|');
  const values = exact.map(({ value }) => toColumn(value));
  const parameters = parts.flatMap((part) => [companyId, ...boundsOf(part), ...values]);
  return await runCached<R>(db, shape, parameters, query);
}

function boundsOf({ of, from, to }: PeriodPart): readonly [unknown, unknown] {
  return of === 'instant'
    ? [instant.toColumn(new Date(from)), instant.toColumn(new Date(to))]
    : [from / MINUTE, to / MINUTE];
}

const halfHoursOf = (companyId: number): RawBuilder<unknown> =>
  sql`from transaction_totals where company_id = ${companyId} and span = 30`;

/**
 * Part of a period from the first to the last half hour with transactions, of one application if `appName` is
 * given; undefined without transactions.
 */
export async function recordedPart(
  work: ReadWork,
  period: TimeRange,
  appName?: string,
): Promise<TimeRange | undefined> {
  const { db, companyId } = specialSql(work);
  const [from, to] = minutesOf(halfHoursAround(period));
  const own =
    appName === undefined
      ? halfHoursOf(companyId)
      : sql`from transaction_app_totals where company_id = ${companyId} and app_name = ${appName} and span = 30`;
  const end = (order: 'asc' | 'desc'): RawBuilder<number | null> => sql`(select start ${own}
    and start >= ${from} and start < ${to} and total > 0 order by start ${sql.raw(order)} limit 1)`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select ${end('asc')} as first, ${end('desc')} as last`.execute(db);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return undefined;
  const { from: begin, to: finish } = halfHoursAround({ from: first * MINUTE, to: last * MINUTE + 1 });
  return { from: Math.max(begin, period.from), to: Math.min(finish, period.to) };
}

/** Number of transactions in the half hours in which these ranges begin. */
export async function countInHalfHours(work: ReadWork, ranges: readonly TimeRange[]): Promise<number> {
  const { db, companyId } = specialSql(work);
  const starts = new Set(ranges.map((range) => halfHoursAround(range).from / MINUTE));
  const { rows } = await sql<{ sum: number }>`select coalesce(sum(total), 0) as sum ${halfHoursOf(companyId)}
    and start ${inList('integer', [...starts])}`.execute(db);
  return rows[0]?.sum ?? 0;
}

const minutesOf = ({ from, to }: TimeRange): readonly [number, number] => [from / MINUTE, to / MINUTE];
