/** Hours of the day and days of the week, by the clocks of a time zone. */
import { DAY, HOUR } from './clock.js';
import { offsetsIn } from './time-zones.js';
import type { TimeRange } from './timestamps.js';

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface Hours {
  /** From 0 to 23. */
  readonly fromHour: number;
  /** From 1 to 24; on the next day if it is not after `fromHour`. */
  readonly toHour: number;
  readonly timeZone: string;
  /** Days on which the hours begin; each day without them. */
  readonly days?: readonly Weekday[] | null | undefined;
}

/** A local day, in days since 1970, which was a Thursday. */
const weekdayOf = (day: number): Weekday => WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'monday';

/** Milliseconds of the hours of one day. */
export const lengthOf = ({ fromHour, toHour }: Pick<Hours, 'fromHour' | 'toHour'>): number =>
  ((toHour - fromHour + 24) % 24 || 24) * HOUR;

/** The parts of a time that are within the hours as clocks show them, ascending: where they are changed, parts meet. */
export function openTimes(
  { fromHour, toHour, timeZone, days }: Hours,
  { from, to }: TimeRange,
): readonly TimeRange[] {
  const length = lengthOf({ fromHour, toHour });
  const offsets = offsetsIn(timeZone, from, to);
  return offsets.flatMap(({ at, offset }, index) => {
    const until = offsets[index + 1]?.at ?? to;
    const first = Math.floor((at + offset) / DAY) - 1;
    const last = Math.floor((until + offset) / DAY);
    const local = Array.from({ length: last - first + 1 }, (_, count) => first + count);
    return local
      .filter((day) => days?.includes(weekdayOf(day)) ?? true)
      .map((day) => day * DAY + fromHour * HOUR - offset)
      .map((start) => ({ from: Math.max(start, at), to: Math.min(start + length, until) }))
      .filter((part) => part.from < part.to);
  });
}

export const isOpen = (hours: Hours, now: Date): boolean =>
  openTimes(hours, { from: now.getTime(), to: now.getTime() + 1 }).length > 0;

const WEEK = 7 * DAY;

/** Milliseconds since the hours began, a week at most; null outside of them. Hours that meet count as one time. */
export function openFor(hours: Hours, now: Date): number | null {
  const to = now.getTime() + 1;
  let begin = to;
  for (const part of openTimes(hours, { from: to - WEEK, to }).toReversed()) {
    if (part.to < begin) break;
    begin = part.from;
  }
  return begin === to ? null : now.getTime() - begin;
}

/** Hours that have the whole days on which others begin. */
export const wholeDays = ({ fromHour, ...hours }: Hours): Hours => ({
  ...hours,
  fromHour,
  toHour: fromHour === 0 ? 24 : fromHour,
});

/** Three days of one hour in each week are 72 weeks. */
const MOST_WEEKS = 80;

/** The instant from which to `now` so many milliseconds were within the hours; 80 weeks ago at most. */
export function openSince(hours: Hours, now: Date, length: number): Date {
  let left = length;
  for (let week = 0; week < MOST_WEEKS; week += 1) {
    const to = now.getTime() - week * WEEK;
    for (const part of openTimes(hours, { from: to - WEEK, to }).toReversed()) {
      if (part.to - part.from >= left) return new Date(part.to - left);
      left -= part.to - part.from;
    }
  }
  return new Date(now.getTime() - MOST_WEEKS * WEEK);
}
