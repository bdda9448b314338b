import { splitInterval, type Condition } from '../../../database/list/condition.js';
import { alsoMeets } from '../../../database/list/request-class.js';
import type { ReadWork } from '../../../database/work.js';
import * as buckets from '../../../platform/buckets.js';
import { DomainError } from '../../../platform/errors.js';
import { periodOf } from '../../../platform/timestamps.js';
import { sentPart, sumDeliveries, type BucketSums } from './notification-summary.repository.js';
import { NO_DELIVERIES, type DeliverySummary } from './notification.model.js';
import { notifications } from './notification.service.js';

/** Rows of a summary at most, also hours or days without a notification. */
export const MAX_BUCKETS = 10_000;

export interface NotificationSummaryRequest {
  readonly where: Condition | null;
  readonly bucket: buckets.Bucket;
  readonly timeZone: string | null;
  /** True if buckets without a notification have a row. */
  readonly emptyBuckets: boolean;
}

export interface NotificationSummaryRow extends DeliverySummary {
  readonly bucketStart: Date | null;
  /** First instant after the bucket. */
  readonly bucketEnd: Date | null;
  readonly count: number;
}

/** Deliveries by state of the notifications that were sent in each bucket. Errors: `malformed`. */
export async function summarizeNotifications(
  work: ReadWork,
  { where, bucket, timeZone, emptyBuckets }: NotificationSummaryRequest,
): Promise<readonly NotificationSummaryRow[]> {
  if (emptyBuckets && bucket === 'none') {
    throw new DomainError('malformed', 'emptyBuckets needs a bucket other than NONE.');
  }
  const zone = buckets.zoneOf(timeZone, bucket);
  const { from, to, rest } = splitInterval(where ?? { and: [] }, 'createdAt');
  const given = periodOf(from, to);
  const sent = await sentPart(work, given);
  const period = emptyBuckets ? buckets.filledPeriod(given, sent) : sent;
  if (period === undefined) return [];
  const meets = alsoMeets(notifications.listing, { and: rest });
  if (bucket === 'none') {
    const sums = await sumDeliveries(work, [{ ...period, bucketStart: 0 }], meets);
    return sums.map((row) => ({ ...rowOf(row), bucketStart: null }));
  }
  if ((period.to - period.from) / buckets.SHORTEST[bucket] > MAX_BUCKETS) {
    const message = `The summary has more than ${MAX_BUCKETS} rows: shorten the interval of createdAt.`;
    throw new DomainError('malformed', message);
  }
  const offsets = buckets.offsetsFor(zone, period);
  const segments = buckets.segmentsOf(bucket, offsets, period);
  const sums = await sumDeliveries(work, segments, meets);
  const shown = emptyBuckets ? withEmpty(sums, segments) : sums;
  return buckets.withEnds(shown.map(rowOf), bucket, offsets);
}

function withEmpty(sums: readonly BucketSums[], segments: readonly buckets.Segment[]) {
  const known = new Map(sums.map((row) => [row.bucket, row]));
  const starts = new Set(segments.map(({ bucketStart }) => bucketStart));
  return [...starts].map((bucket) => known.get(bucket) ?? { bucket, count: 0, ...NO_DELIVERIES });
}

function rowOf({ bucket, ...sums }: BucketSums): NotificationSummaryRow {
  return { ...sums, bucketStart: new Date(bucket), bucketEnd: null };
}
