/** Local time by the formats of Intl alone, minute by minute: slow, and unlike what it is compared with. */
import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time as if it were UTC, to the minute. */
export function localMinute(timeZone: string, at: number): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(timeZone, format);
  // For example `1/31/2026, 09:05`.
  const [month = 0, day, year = 0, hour, minute] = (format.format(at).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute);
}

const starts = new Map<string, number>();

/** The first instant of the bucket that contains `at`, in a zone whose offsets are whole minutes. */
export function bucketStart(bucket: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH', timeZone: string, at: number): number {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  const local = localMinute(timeZone, minute);
  const first = bucket === 'HOUR' ? minute : firstDay(bucket, local);
  const key = `${bucket} ${timeZone} ${first}`;
  const start =
    starts.get(key) ?? (bucket === 'HOUR' ? hourStart(timeZone, minute) : dayStart(timeZone, first));
  starts.set(key, start);
  return start;
}

function firstDay(bucket: 'DAY' | 'WEEK' | 'MONTH', local: number): number {
  const date = new Date(local);
  const day = date.getUTCDate();
  const weekday = (date.getUTCDay() + 6) % 7;
  const offset = { DAY: 0, WEEK: weekday, MONTH: day - 1 }[bucket];
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day - offset);
}

/** Goes back to a full hour, or to a change of the clock. */
function hourStart(timeZone: string, minute: number): number {
  let start = minute;
  for (;;) {
    const local = localMinute(timeZone, start);
    if (local % HOUR === 0 || localMinute(timeZone, start - MINUTE) !== local - MINUTE) return start;
    start -= MINUTE;
  }
}

function dayStart(timeZone: string, day: number): number {
  let at = day - 15 * HOUR;
  // No clock was ever set back by two hours: the day does not begin within this hour.
  while (localMinute(timeZone, at + HOUR) < day - 2 * HOUR) at += HOUR;
  for (; at < day + 2 * DAY; at += MINUTE) {
    if (localMinute(timeZone, at) >= day) return at;
  }
  throw new Error(`No day ${new Date(day).toISOString()} in ${timeZone}`);
}
