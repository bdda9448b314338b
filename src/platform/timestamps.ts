import { DAY, MINUTE, SECOND } from './clock.js';

/** Lengths in minutes of the spans of time with totals: a UTC day, a quarter of one, and half an hour. */
export const TOTAL_SPANS = [1_440, 360, 30] as const;
export type TotalSpan = (typeof TOTAL_SPANS)[number];

const DATE = /^\d{4}-\d{2}-\d{2}$/;
// A plus sign that was not percent-encoded arrives as a space.
const TIMESTAMP =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<minute>\d{2}:\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d+))?)?(?:Z|(?<sign>[+ -])(?<hours>\d{2}):?(?<minutes>\d{2}))$/i;
/** Start of the years 1 and 10000, in milliseconds since 1970: the range of texts and databases. */
export const [FIRST_INSTANT, END_OF_TIME] = [-62_135_596_800_000, 253_402_300_800_000];

/** Example for errors and descriptions. */
export const TIMESTAMP_EXAMPLE = '2026-03-01T12:00:00Z';

/** Milliseconds since 1970, `to` excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The interval that a text names, as long as its last digits say: the day `2026-01-05` in UTC, the minute
 * `2026-01-05T12:00Z`, the second `2026-01-05T09:00:00-0300`, or with a fraction a millisecond; further digits are
 * ignored. The leap second `23:59:60Z` is the first second of the next day, as in Unix time. Undefined for any other
 * text, and for times that do not exist.
 */
export function readInterval(text: string): TimeRange | undefined {
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

/** The start of the interval that a timestamp names; undefined for any other text, a date without a time included. */
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

function intervalOf(from: number | undefined, length: number): TimeRange | undefined {
  return from === undefined || from < FIRST_INSTANT || from >= END_OF_TIME
    ? undefined
    : { from, to: from + length };
}

/** A length of time in calendar units, for example `13 months`; `months` or `days` is 0. */
export interface Period {
  readonly months: number;
  readonly days: number;
}

/** The instant one period before `now`, in UTC: 1 month before 31 March is 28 or 29 February. */
export function instantBefore(now: Date, { months, days }: Period): Date {
  const at = new Date(now);
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(now.getUTCDate(), lastDay) - days);
  return at;
}

/** Canonical name of a time zone, for example `America/Sao_Paulo`; undefined if it is unknown to Intl. */
export function timeZoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The time of all records. */
const ALWAYS: TimeRange = { from: 0, to: END_OF_TIME };

export const isAlways = ({ from, to }: TimeRange): boolean => from === ALWAYS.from && to === ALWAYS.to;

/** Time range from `from` to `to`, exclusive; null means without a limit. Empty if `to` is before `from`. */
export function periodOf(from: number | null | undefined, to: number | null | undefined): TimeRange {
  const begin = Math.max(from ?? ALWAYS.from, ALWAYS.from);
  return { from: begin, to: Math.max(Math.min(to ?? ALWAYS.to, ALWAYS.to), begin) };
}
