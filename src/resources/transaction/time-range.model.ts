import { DAY, MINUTE, SECOND } from '../../platform/clock.js';

/** Milliseconds since 1970, `to` excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The time of all records. */
export const ALWAYS: TimeRange = { from: 0, to: Date.UTC(10_000, 0, 1) };

export function isAlways({ from, to }: TimeRange): boolean {
  return from === ALWAYS.from && to === ALWAYS.to;
}

/** A time range with the number of transactions in it. */
export interface CountedTimeRange extends TimeRange {
  readonly total: number;
}

const DATE = /^(\d{4})-\d{2}-\d{2}$/;
// A plus sign that was not percent-encoded arrives as a space.
const TIMESTAMP =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<time>\d{2}:\d{2}:\d{2})(?:\.(?<fraction>\d{1,9}))?(?:Z|(?<sign>[+ -])(?<hours>\d{2}):?(?<minutes>\d{2}))$/i;

/** The range of a date (a UTC day) or of a timestamp (a second, or a millisecond if it has a fraction). */
export function readTimeRange(text: string): TimeRange | undefined {
  if (DATE.test(text)) return spanOf(instantOf(text, '00:00:00', ''), DAY);
  const parts = TIMESTAMP.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date = '', time = '', fraction = '', sign = '+', hours = '00', minutes = '00' } = parts;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  const at = instantOf(date, time, fraction);
  return spanOf(at === undefined ? undefined : at - offset, fraction === '' ? SECOND : 1);
}

/** The time of a timestamp, to the millisecond; undefined for any other text, a date without a time included. */
export function readInstant(text: string): Date | undefined {
  const range = DATE.test(text) ? undefined : readTimeRange(text);
  return range && new Date(range.from);
}

/** Undefined for dates and times that do not exist, such as 30 February or 24:00:00. */
function instantOf(date: string, time: string, fraction: string): number | undefined {
  const text = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const at = new Date(text);
  const exists = !date.startsWith('0000') && !Number.isNaN(at.getTime()) && at.toISOString() === text;
  return exists ? at.getTime() : undefined;
}

function spanOf(from: number | undefined, length: number): TimeRange | undefined {
  return from === undefined ? undefined : { from, to: from + length };
}
