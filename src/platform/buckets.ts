/** Hours, days, weeks and months of a time zone, by which summaries count. */
import { DAY, HOUR } from './clock.js';
import { DomainError } from './errors.js';
import { offsetAt, offsetsIn, type OffsetChange } from './time-zones.js';
import { periodOf, timeZoneNamed, type TimeRange } from './timestamps.js';

export const BUCKETS = ['hour', 'day', 'week', 'month', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

export const BUCKET_MEANINGS: Readonly<Record<Bucket, string>> = {
  hour: 'One hour of the clock. A new one begins whenever the clock is changed, so an hour that exists twice is two.',
  day: 'One day.',
  week: 'One week, from Monday to Sunday.',
  month: 'One calendar month.',
  none: 'The whole time that the filter selects.',
};

/** A month that began before the period, or ends after it, is longer than any other bucket. */
const MARGIN = 40 * DAY;

/** Changes of the offset from UTC, ascending; the first one also applies before its instant. Null: UTC. */
type Offsets = readonly OffsetChange[];

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

export const CALENDAR_INTERVALS = [
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'this_month',
  'last_month',
] as const;
export type CalendarInterval = (typeof CALENDAR_INTERVALS)[number];

export const INTERVAL_MEANINGS: Readonly<Record<CalendarInterval, string>> = {
  today: 'The present day, until its end.',
  yesterday: 'The day before the present one.',
  last_7_days: 'The present day and the 6 days before it.',
  last_30_days: 'The present day and the 29 days before it.',
  this_month: 'The present calendar month, until its end.',
  last_month: 'The calendar month before the present one.',
};

/** The days of an interval in the zone, at the time `now`. `timeZone` must be known to Intl. */
export function calendarRange(interval: CalendarInterval, timeZone: string, now: number): TimeRange {
  const offsets = offsetsFor(timeZone, { from: now - MARGIN, to: now });
  const today = Math.floor((now + offsetAt(timeZone, now)) / DAY);
  const month = firstDayOf('month', today);
  const days: Readonly<Record<CalendarInterval, readonly [number, number]>> = {
    today: [today, today + 1],
    yesterday: [today - 1, today],
    last_7_days: [today - 6, today + 1],
    last_30_days: [today - 29, today + 1],
    this_month: [month, firstDayOf('month', month + 31)],
    last_month: [firstDayOf('month', month - 1), month],
  };
  const [first, next] = days[interval];
  return { from: startOfDay(offsets, first), to: startOfDay(offsets, next) };
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

/** The first instant after the bucket that begins at `start`; none is as long as two of the shortest. */
const endOfBucket = (bucket: Exclude<Bucket, 'none'>, offsets: Offsets, start: number): number =>
  segmentsOf(bucket, offsets, { from: start, to: start + 2 * SHORTEST[bucket] })[0]?.to ?? start;

export function unknownZone(timeZone: string): string {
  const given = timeZone.length > 64 ? `${timeZone.slice(0, 64)}…` : timeZone;
  return `timeZone: "${given}" is not an IANA time zone, for example America/Sao_Paulo.`;
}

/** Time zone of a summary; null for UTC, and for summaries without time buckets. Errors: `malformed`. */
export function zoneOf(timeZone: string | null, bucket: Bucket): string | null {
  if (timeZone === null) return null;
  const zone = timeZoneNamed(timeZone);
  if (zone === undefined) throw new DomainError('malformed', unknownZone(timeZone));
  return bucket === 'none' || zone === 'UTC' ? null : zone;
}

export function withEnds<Row extends { readonly bucketStart: Date | null }>(
  rows: readonly Row[],
  bucket: Exclude<Bucket, 'none'>,
  offsets: Offsets,
) {
  const ends = new Map<number, Date>();
  return rows.map((row) => {
    const start = Number(row.bucketStart);
    const end = ends.get(start) ?? new Date(endOfBucket(bucket, offsets, start));
    ends.set(start, end);
    return { ...row, bucketEnd: end };
  });
}

/** The time of empty buckets: the interval of a filter, or from the first to the last record at an open end. */
export function filledPeriod(given: TimeRange, recorded: TimeRange | undefined): TimeRange | undefined {
  const open = periodOf(null, null);
  const from = given.from === open.from ? recorded?.from : given.from;
  const to = given.to === open.to ? recorded?.to : given.to;
  return from === undefined || to === undefined ? undefined : { from, to };
}
