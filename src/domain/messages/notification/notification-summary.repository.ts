import { sql } from 'kysely';

import { only, specialSql } from '../../../database/company/company-rows.js';
import { indexedBy, instantIn, sumsOfRanges, type Sql } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { Segment } from '../../../platform/buckets.js';
import type { TimeRange } from '../../../platform/timestamps.js';
import { DELIVERY_STATES } from '../../../schema/messages.js';
import type { DeliverySummary } from './notification.model.js';

export const hasDelivery = (compared: (state: Sql) => Sql): Sql => sql`exists (select 1
  from notification_deliveries as d where d.company_id = t.company_id and d.notification_id = t.id
    and ${compared(sql.ref('d.state'))})`;

/** The time from the first to the last notification of a period; undefined if it has none. One statement. */
export async function sentPart(work: ReadWork, { from, to }: TimeRange): Promise<TimeRange | undefined> {
  const { db, companyId } = specialSql(work);
  const end = (direction: 'asc' | 'desc'): Sql<number | null> =>
    sql`(select created_at from notifications where company_id = ${companyId}
      and created_at >= ${new Date(from)} and created_at < ${new Date(to)}
      order by created_at ${sql.raw(direction)} limit 1)`;
  const { rows } = await sql<{
    first: number | null;
    last: number | null;
  }>`select ${end('asc')} as first, ${end('desc')} as last`.execute(db);
  const { first, last } = only(rows);
  return first === null || last === null ? undefined : { from: first, to: last + 1 };
}

/** Sums of the notifications that were sent in one bucket. */
export interface BucketSums extends DeliverySummary {
  /** First instant of the bucket. */
  readonly bucket: number;
  readonly count: number;
}

/** Sums by bucket, ascending, over the notifications `t` that meet a condition; none of empty buckets. One statement. */
export async function sumDeliveries(work: ReadWork, segments: readonly Segment[], meets: Sql) {
  const { db, companyId } = specialSql(work);
  const sums = sumsOfRanges({
    ranges: segments.map(({ bucketStart, from, to }) => [bucketStart, from, to] as const),
    columns: [],
    sums: [
      sql`count(*) as count`,
      ...DELIVERY_STATES.map((state) => sql`coalesce(sum(${sql.ref(`d.${state}`)}), 0) as ${sql.ref(state)}`),
    ],
    table: sql`${indexedBy('notifications', 't', 'notifications_by_created_at_id')}
      left join notification_totals as d on d.company_id = t.company_id and d.notification_id = t.id`,
    where: sql`t.company_id = ${companyId} and t.created_at >= ${instantIn('ranges.first')}
      and t.created_at < ${instantIn('ranges.last')} ${meets}`,
    having: sql`count(*) > 0`,
  });
  const columns = ['count', ...DELIVERY_STATES].map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`);
  const { rows } = await sql<Readonly<Record<keyof BucketSums, string | number>>>`
    select bucket, ${sql.join(columns)} from (${sums}) as part group by bucket order by bucket`.execute(db);
  return rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, Number(value)]),
      ) as unknown as BucketSums,
  );
}
