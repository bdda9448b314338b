import { DAY, MINUTE, SECOND } from '../clock.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
// A plus sign that was not percent-encoded arrives as a space.
const TIMESTAMP =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<minute>\d{2}:\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d+))?)?(?:Z|(?<sign>[+ -])(?<hours>\d{2}):?(?<minutes>\d{2}))$/i;
/**
 * Start of the years 1 and 10000, in milliseconds since 1970: with its offset, a time must stay in the range
 * of texts and databases.
 */
const [FIRST, END] = [-62_135_596_800_000, 253_402_300_800_000];

/** Example for errors and descriptions. */
export const TIMESTAMP_EXAMPLE = '2026-03-01T12:00:00Z';

/** An interval in milliseconds since 1970, `to` excluded. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * The interval that a date or timestamp names: a UTC day (`2026-01-05`), a minute (`2026-01-05T12:00Z`), a
 * second (`2026-01-05T09:00:00-0300`), or a millisecond where there is a fraction, which is cut to three
 * digits. The leap second `23:59:60Z` is the first second of the next day, as in Unix time. Undefined for any
 * other text, and for times that do not exist.
 */
export function readInterval(text: string): Interval | undefined {
  if (DATE.test(text)) return intervalOf(instantOf(text, '00:00:00', ''), DAY);
  const parts = TIMESTAMP.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date = '', minute = '', second, fraction = '', sign = '+', hours = '00', minutes = '00' } = parts;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  const isLeap = second === '60';
  const local = instantOf(date, `${minute}:${isLeap ? '59' : (second ?? '00')}`, fraction);
  const at = local === undefined ? undefined : local - offset + (isLeap ? SECOND : 0);
  if (isLeap && at !== undefined && Math.floor(at / SECOND) % (DAY / SECOND) !== 0) return undefined;
  return intervalOf(at, second === undefined ? MINUTE : fraction === '' ? SECOND : 1);
}

/**
 * The start of the interval that a timestamp names; undefined for any other text, a date without a time
 * included.
 */
export function readInstant(text: string): Date | undefined {
  const interval = DATE.test(text) ? undefined : readInterval(text);
  return interval && new Date(interval.from);
}

/** Undefined for dates and times that do not exist, such as 30 February or 24:00:00. */
function instantOf(date: string, time: string, fraction: string): number | undefined {
  const text = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text ? at.getTime() : undefined;
}

function intervalOf(from: number | undefined, length: number): Interval | undefined {
  return from === undefined || from < FIRST || from >= END ? undefined : { from, to: from + length };
}
