import { DAY, HOUR, MINUTE, type Span } from '../../../../platform/clock.js';
import { offsetAt, offsetsIn, type OffsetChange } from '../../../../platform/time-zones.js';
import {
  type ParsedPayment,
  type Transaction,
  HALF_HOURS,
  splitPeriod,
  type PeriodPart,
  type TimeRange,
} from '../transaction.model.js';

/** Units of time by which a summary is grouped; `none` for the whole interval. */
export const BUCKETS = ['hour', 'day', 'week', 'month', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Fields by which a summary is grouped. */
export const DIMENSIONS = [
  ...(['status', 'transactionType', 'appName', 'logicalNumber', 'group'] as const),
  ...(['paymentStatus', 'paymentType', 'brand', 'acquirer', 'installments'] as const),
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The field of a row with the value of a dimension. */
export const fieldOf = (dimension: Dimension): Exclude<Dimension, 'group'> | 'groupId' =>
  dimension === 'group' ? 'groupId' : dimension;

/** Maximum rows of a summary. */
export const MAX_ROWS = 10_000;
/** Maximum years between the first and the last transaction of a summary in a time zone. */
export const MAX_ZONED_YEARS = 20;
/** Maximum transactions that a summary reads one by one if no totals exist (by logical number). */
export const MAX_READ = 2_000_000;

/** Values that the transactions of a row share, null unless grouped by them. Sums are in cents. */
export interface SummaryRow {
  readonly bucketStart: Date | null;
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
  readonly count: number;
  /** All payments: approved, denied and cancelled. */
  readonly amountTotal: number;
  readonly approvedAmount: number;
  readonly deniedAmount: number;
  /** Approved cancellations and refunds. */
  readonly cancelledAmount: number;
}

/**
 * Assigns instants to buckets. An hour is identified by the instant at which it begins, other buckets by a
 * number: local days since 1970-01-01, weeks since Monday 1969-12-29, months since March of the year 0.
 */
export interface Calendar {
  readonly bucket: Bucket;
  /** Ascending; the first one also applies before its instant. */
  readonly offsets: readonly OffsetChange[];
}

export function utcCalendar(bucket: Bucket): Calendar {
  return { bucket, offsets: [{ at: 0, offset: 0 }] };
}

/** A month that began before the period is longer than any other bucket. */
const MARGIN = 40 * DAY;

/** The buckets of a zone, for instants of a period. */
export function zonedCalendar(bucket: Bucket, timeZone: string, { from, to }: TimeRange): Calendar {
  return { bucket, offsets: offsetsIn(timeZone, from - MARGIN, to + DAY) };
}

/** Whether local time is UTC in the whole period. */
function isUtc({ offsets }: Calendar): boolean {
  return offsets.every(({ offset }) => offset === 0);
}

function bucketOfDay(bucket: Bucket, day: number): number {
  if (bucket === 'week') return Math.floor((day + 3) / 7);
  return bucket === 'month' ? monthOf(day) : day;
}

function monthOf(day: number): number {
  const date = new Date(day * DAY);
  return date.getUTCFullYear() * 12 + date.getUTCMonth() - 2;
}

/** The first instant of a bucket; null for the bucket of all time. */
export function startOf({ bucket, offsets }: Calendar, key: number): Date | null {
  if (bucket === 'none') return null;
  return new Date(bucket === 'hour' ? key : startOfDay(offsets, firstDayOf(bucket, key)));
}

function firstDayOf(bucket: Bucket, key: number): number {
  if (bucket === 'week') return key * 7 - 3;
  return bucket === 'month' ? Date.UTC(Math.floor((key + 2) / 12), (key + 2) % 12, 1) / DAY : key;
}

/**
 * A day may begin after midnight if clocks are set forward at midnight, and may not exist if a whole day was skipped.
 */
function startOfDay(offsets: readonly OffsetChange[], day: number): number {
  for (const [index, { at, offset }] of offsets.entries()) {
    const start = day * DAY - offset;
    const from = index === 0 ? start : Math.max(start, at);
    if (from < (offsets[index + 1]?.at ?? Infinity)) return from;
  }
  return day * DAY;
}

/** A time range whose instants are all in one bucket: that of `key`, see `Calendar`. */
export interface Segment extends TimeRange {
  readonly key: number;
}

/** The buckets of a period, ascending, each cut off at the ends of the period. Not for the bucket of all time. */
export function segmentsOf({ bucket, offsets }: Calendar, period: TimeRange): readonly Segment[] {
  const segments: { from: number; to: number; key: number }[] = [];
  const length = bucket === 'hour' ? HOUR : DAY;
  for (const [index, { at, offset }] of offsets.entries()) {
    const since = index === 0 ? -Infinity : at;
    const until = Math.min(offsets[index + 1]?.at ?? Infinity, period.to);
    for (let from = Math.max(since, period.from); from < until;) {
      const local = Math.floor((from + offset) / length);
      const to = Math.min((local + 1) * length - offset, until);
      // An hour begins with each change of the clock.
      const key = bucket === 'hour' ? Math.max(local * HOUR - offset, since) : bucketOfDay(bucket, local);
      const last = segments.at(-1);
      if (last?.key === key) last.to = to;
      else segments.push({ from, to, key });
      from = to;
    }
  }
  return segments;
}

/**
 * The ranges of a period that are read for the buckets of a calendar, by the length of their spans: each span
 * is within one bucket. `instant` ranges, for which single transactions are read, are at the ends of the period
 * and where buckets begin off the half hour (decisions.md#summary-time-zones).
 */
export function rangesToRead(
  calendar: Calendar,
  period: TimeRange,
): ReadonlyMap<PeriodPart['of'], TimeRange[]> {
  const isWhole = calendar.bucket === 'none' || isUtc(calendar);
  const spans: readonly Span[] | undefined = calendar.bucket === 'hour' ? HALF_HOURS : undefined;
  const ranges = new Map<PeriodPart['of'], TimeRange[]>();
  for (const segment of isWhole ? [period] : segmentsOf(calendar, period)) {
    for (const { of, from, to } of splitPeriod(segment, spans)) {
      const known = ranges.get(of) ?? [];
      const last = known.at(-1);
      if (last?.to === from) known[known.length - 1] = { from: last.from, to };
      else known.push({ from, to });
      ranges.set(of, known);
    }
  }
  return ranges;
}

/** Years whose offsets represent all times. */
const YEARS = { from: 1970, to: 2040 };
const known = new Map<string, boolean>();
const MAX_ZONES = 500;

/** Whether days begin off the half hour of UTC: in Kathmandu, Chatham, Eucla, and some others before 1976. */
export function isOffHalfHours(timeZone: string): boolean {
  const found = known.get(timeZone);
  if (found !== undefined) return found;
  if (known.size >= MAX_ZONES) known.clear();
  const halfYears = Array.from({ length: 2 * (YEARS.to - YEARS.from) }, (_, index) => index * 6);
  const isOff = halfYears.some(
    (month) => offsetAt(timeZone, Date.UTC(YEARS.from, month, 1)) % (30 * MINUTE) !== 0,
  );
  known.set(timeZone, isOff);
  return isOff;
}
