import { DAY, HOUR, MINUTE, SPANS } from '../../../../platform/clock.js';
import { offsetAt, offsetsIn, type OffsetChange } from '../../../../platform/time-zones.js';
import {
  type ParsedPayment,
  type Transaction,
  HALF_HOURS,
  splitPeriod,
  type TimeRange,
} from '../transaction.model.js';

export const BUCKETS = ['hour', 'day', 'week', 'month', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

export const DIMENSIONS = [
  ...(['status', 'transactionType', 'appName', 'logicalNumber', 'group'] as const),
  ...(['paymentStatus', 'paymentType', 'brand', 'acquirer', 'installments'] as const),
  ...(['paymentMethod', 'captureMethod', 'statusReason'] as const),
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const fieldOf = (dimension: Dimension): Exclude<Dimension, 'group'> | 'groupId' =>
  dimension === 'group' ? 'groupId' : dimension;

/** Order of the rows of a summary; rows with the same sums are in the order of time and dimensions. */
export interface SummaryOrder {
  readonly field: 'time' | 'count' | 'amountTotal';
  readonly direction: 'asc' | 'desc';
}

/** Which rows of a summary are shown. */
export interface SummaryPage {
  readonly order: SummaryOrder;
  /** Number of rows to skip. */
  readonly skip: number;
  /** Rows at most; null for all of them, if they are not too many. */
  readonly first: number | null;
  /** Whether hours, days, weeks and months without a transaction have a row. */
  readonly emptyBuckets: boolean;
}

export const ALL_ROWS: SummaryPage = {
  order: { field: 'time', direction: 'asc' },
  skip: 0,
  first: null,
  emptyBuckets: false,
};

export const MAX_ROWS = 10_000;
/** Maximum years between the first and the last transaction of a summary in a time zone. */
export const MAX_ZONED_YEARS = 20;
/** Maximum transactions that a summary reads one by one if no totals exist (by logical number). */
export const MAX_READ = 2_000_000;

/** Values that the transactions of a row share, null unless grouped by them. Sums are in cents. */
export interface SummaryRow {
  readonly bucketStart: Date | null;
  /** First instant after the bucket. */
  readonly bucketEnd: Date | null;
  readonly status: Transaction['status'] | null;
  readonly transactionType: Transaction['transactionType'] | null;
  readonly appName: string | null;
  readonly logicalNumber: string | null;
  /** The group of the logical number when the transactions were recorded; it may be gone. */
  readonly groupId: number | null;
  readonly paymentStatus: ParsedPayment['status'] | null;
  readonly paymentType: string | null;
  readonly brand: string | null;
  readonly acquirer: string | null;
  readonly installments: number | null;
  readonly paymentMethod: string | null;
  readonly captureMethod: string | null;
  readonly statusReason: string | null;
  readonly count: number;
  /** All payments: approved, denied and cancelled. */
  readonly amountTotal: number;
  readonly approvedAmount: number;
  readonly deniedAmount: number;
  readonly cancelledAmount: number;
}

/** A month that began before the period, or ends after it, is longer than any other bucket. */
const MARGIN = 40 * DAY;

/** Changes of the offset from UTC, ascending; the first one also applies before its instant. Null: UTC. */
export type Offsets = readonly OffsetChange[];

export function offsetsFor(timeZone: string | null, { from, to }: TimeRange): Offsets {
  return timeZone === null ? [{ at: 0, offset: 0 }] : offsetsIn(timeZone, from - MARGIN, to + MARGIN);
}

/** First local day of the bucket of a local day, in days since 1970. */
function firstDayOf(bucket: Bucket, day: number): number {
  if (bucket === 'week') return day - ((day + 3) % 7);
  if (bucket !== 'month') return day;
  const date = new Date(day * DAY);
  return day - date.getUTCDate() + 1;
}

/** A day may begin after midnight if clocks are set forward at midnight; a day that was skipped does not exist. */
function startOfDay(offsets: Offsets, day: number): number {
  for (const [index, { at, offset }] of offsets.entries()) {
    const start = day * DAY - offset;
    const from = index === 0 ? start : Math.max(start, at);
    if (from < (offsets[index + 1]?.at ?? Infinity)) return from;
  }
  return day * DAY;
}

/** A time range whose instants are all in the bucket that begins at `bucketStart`. */
export interface Segment extends TimeRange {
  readonly bucketStart: number;
}

/** The buckets of a period, ascending, each cut off at the ends of the period. Not for the bucket of all time. */
export function segmentsOf(bucket: Bucket, offsets: Offsets, period: TimeRange): readonly Segment[] {
  const segments: { from: number; to: number; bucketStart: number }[] = [];
  const length = bucket === 'hour' ? HOUR : DAY;
  for (const [index, { at, offset }] of offsets.entries()) {
    const since = index === 0 ? -Infinity : at;
    const until = Math.min(offsets[index + 1]?.at ?? Infinity, period.to);
    for (let from = Math.max(since, period.from); from < until;) {
      const local = Math.floor((from + offset) / length);
      const to = Math.min((local + 1) * length - offset, until);
      // An hour begins with each change of the clock.
      const bucketStart =
        bucket === 'hour'
          ? Math.max(local * HOUR - offset, since)
          : startOfDay(offsets, firstDayOf(bucket, local));
      const last = segments.at(-1);
      if (last?.bucketStart === bucketStart) last.to = to;
      else segments.push({ from, to, bucketStart });
      from = to;
    }
  }
  return segments;
}

/** Shortest time of a bucket, but for an hour in which clocks are changed. */
export const SHORTEST: Readonly<Record<Bucket, number>> = {
  hour: HOUR,
  day: DAY - HOUR,
  week: 7 * DAY - HOUR,
  month: 28 * DAY - HOUR,
  none: Infinity,
};

/** More than the longest time of a bucket. */
const LONGEST: Readonly<Record<Exclude<Bucket, 'none'>, number>> = {
  hour: 2 * HOUR,
  day: 2 * DAY,
  week: 9 * DAY,
  month: 33 * DAY,
};

/** The first instant after the bucket that begins at `start`. */
export const endOfBucket = (bucket: Exclude<Bucket, 'none'>, offsets: Offsets, start: number): number =>
  segmentsOf(bucket, offsets, { from: start, to: start + LONGEST[bucket] })[0]?.to ?? start;

/** Ranges to read by the length of their spans; of `instant` ones, single transactions (decisions.md#summary-time-zones). */
export function rangesToRead(bucket: Bucket, segments: readonly Segment[]) {
  const parts = segments.flatMap((segment) =>
    splitPeriod(segment, bucket === 'hour' ? HALF_HOURS : SPANS).map((part) => ({ ...segment, ...part })),
  );
  return Map.groupBy(parts, ({ of }) => of);
}

/** Half years from 1970 to 2040, whose offsets represent all times. */
const HALF_YEARS = Array.from({ length: 140 }, (_, index) => Date.UTC(1970, 6 * index, 1));

/** Whether days begin off the half hour of UTC: in Kathmandu, Chatham, Eucla, and some others before 1976. */
export const isOffHalfHours = (timeZone: string): boolean =>
  HALF_YEARS.some((at) => offsetAt(timeZone, at) % (30 * MINUTE) !== 0);
