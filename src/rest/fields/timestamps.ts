import { DAY, HOUR, MINUTE, SECOND } from '../../platform/clock.js';

/** `2026-01-31T`, by the number of the day since 1970. */
const days = new Map<number, string>();
const MAX_DAYS = 4_000;

/** `YYYY-MM-DDTHH:MM:SSZ` (contract 12). Most instants of a response are of a few days, whose dates are made once. */
export function timestamp(instant: Date | number): string {
  const at = Number(instant);
  const day = Math.floor(at / DAY);
  const ofDay = at - day * DAY;
  const hours = twoDigits(Math.floor(ofDay / HOUR));
  const minutes = twoDigits(Math.floor(ofDay / MINUTE) % 60);
  const seconds = twoDigits(Math.floor(ofDay / SECOND) % 60);
  return `${days.get(day) ?? dateOf(day)}${hours}:${minutes}:${seconds}Z`;
}

function dateOf(day: number): string {
  const date = new Date(day * DAY).toISOString().slice(0, 11);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, date);
  return date;
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`);

/**
 * The instant in a time zone (contract 12): `2026-01-31T09:00:00-03:00`, or with milliseconds
 * `2026-01-31T09:00:00.000-03:00`.
 */
export function zonedTimestamp(instant: Date, timeZone: string, milliseconds = false): string {
  const offset = offsetMinutes(instant, timeZone);
  const local = new Date(instant.getTime() + offset * 60_000).toISOString();
  const sign = offset < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${local.slice(0, milliseconds ? 23 : 19)}${sign}${hours}:${minutes}`;
}

/** By time zone, since making a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetMinutes(instant: Date, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
