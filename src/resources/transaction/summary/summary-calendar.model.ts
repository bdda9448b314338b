import { DAY, HOUR } from '../../../platform/clock.js';
import { offsetsIn, type OffsetChange } from '../../../platform/time-zones.js';
import type { TimeRange } from '../time-range.model.js';
import type { Bucket } from './transaction-summary.model.js';

/**
 * How instants are put into buckets. Hours are given by the instant at which they begin, other buckets by a number: local
 * days since 1970-01-01, weeks since Monday 1969-12-29, months since March of the year 0.
 */
export interface Calendar {
  readonly bucket: Bucket;
  /** Ascending; the first one holds before its instant too. */
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
export function isUtc({ offsets }: Calendar): boolean {
  return offsets.every(({ offset }) => offset === 0);
}

/** Whether local hours begin at full hours of UTC, and the offset changes at full hours only. */
export function hasWholeHours({ offsets: [first, ...changes] }: Calendar): boolean {
  const isWhole = (time: number): boolean => time % HOUR === 0;
  return isWhole(first?.offset ?? 0) && changes.every(({ at, offset }) => isWhole(at) && isWhole(offset));
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

/** A day may begin after midnight, where clocks are set forward then, and not exist, where a whole day was left out. */
function startOfDay(offsets: readonly OffsetChange[], day: number): number {
  for (const [index, { at, offset }] of offsets.entries()) {
    const start = day * DAY - offset;
    const from = index === 0 ? start : Math.max(start, at);
    if (from < (offsets[index + 1]?.at ?? Infinity)) return from;
  }
  return day * DAY;
}

/** Units of UTC time, as many since 1970 as `from` and before `to`, that do not belong to a single bucket. */
export function dividedUnits(
  { bucket, offsets }: Calendar,
  unit: number,
  { from: first, to: end }: TimeRange,
): readonly number[] {
  const divided: number[] = [];
  let index = 0;
  for (let number = first; number < end; number += 1) {
    const start = number * unit;
    while ((offsets[index + 1]?.at ?? Infinity) <= start) index += 1;
    if (isDivided(bucket, offsets, index, { from: start, to: start + unit })) divided.push(number);
  }
  return divided;
}

/** `index` is that of the offset that holds at the beginning of the range. */
function isDivided(
  bucket: Bucket,
  offsets: readonly OffsetChange[],
  index: number,
  { from, to }: TimeRange,
): boolean {
  const [now, next] = [offsets[index], offsets[index + 1]];
  if (now === undefined) return false;
  const end = Math.min(next?.at ?? Infinity, to);
  if (!areTogether(bucket, now, from, end - 1)) return true;
  if (next === undefined || end === to) return false;
  return !areNeighbours(bucket, now, next) || isDivided(bucket, offsets, index + 1, { from: end, to });
}

/** Hours of UTC, as many since 1970, whose local day has another date. Of a calendar with whole hours. */
export function hoursOfOtherDays({ offsets }: Calendar, { from, to }: TimeRange): readonly number[] {
  const found: number[] = [];
  let index = 0;
  for (let hour = from; hour < to; hour += 1) {
    const start = hour * HOUR;
    while ((offsets[index + 1]?.at ?? Infinity) <= start) index += 1;
    const local = start + (offsets[index]?.offset ?? 0);
    if (Math.floor(local / DAY) !== Math.floor(start / DAY)) found.push(hour);
  }
  return found;
}

/** Whether two instants with the same offset are in the same bucket. */
function areTogether(bucket: Bucket, { offset }: OffsetChange, one: number, other: number): boolean {
  const length = bucket === 'hour' ? HOUR : DAY;
  const [first, last] = [Math.floor((one + offset) / length), Math.floor((other + offset) / length)];
  return first === last || (bucket !== 'hour' && bucketOfDay(bucket, first) === bucketOfDay(bucket, last));
}

/** Whether the instants before and after a change are in the same bucket. An hour ends with each change. */
function areNeighbours(bucket: Bucket, before: OffsetChange, after: OffsetChange): boolean {
  if (bucket === 'hour') return false;
  const [last, first] = [after.at - 1 + before.offset, after.at + after.offset];
  return bucketOfDay(bucket, Math.floor(last / DAY)) === bucketOfDay(bucket, Math.floor(first / DAY));
}
