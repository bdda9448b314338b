import { z } from 'zod';

import { DAY, SECOND } from './clock.js';

/** A change of local time: from `at` on, clocks show UTC plus `offset`. In milliseconds, `at` since 1970. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/**
 * Canonical name of a time zone, for example `America/Sao_Paulo`, in any case of letters; undefined if it is
 * unknown to Intl.
 */
export function timeZoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Schema of the name of a time zone. */
export const TimeZone = z
  .string()
  .refine(
    (zone) => timeZoneNamed(zone) !== undefined,
    'must be an IANA time zone, for instance America/Sao_Paulo',
  );

/** The offset at `from` and each later change before `to`, ascending. `timeZone` must be known to Intl. */
export function offsetsIn(timeZone: string, from: number, to: number): readonly OffsetChange[] {
  const offsets = [{ at: from, offset: offsetAt(timeZone, from) }];
  const last = new Date(to).getUTCFullYear();
  for (let year = new Date(from).getUTCFullYear(); year <= last; year += 1) {
    offsets.push(...changesOf(timeZone, year).filter(({ at }) => at > from && at < to));
  }
  return offsets;
}

/** Changes by year and zone. Finding those of one year takes about a millisecond. */
const changes = new Map<string, readonly OffsetChange[]>();
const MAX_YEARS = 2_000;
/** Step of the search for changes. Changes closer together would be missed; there are none since 1970. */
const STEP = 3 * DAY;

function changesOf(timeZone: string, year: number): readonly OffsetChange[] {
  const key = `${year} ${timeZone}`;
  const known = changes.get(key);
  if (known !== undefined) return known;
  const found: OffsetChange[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  let before = Date.UTC(year, 0, 1) - 1;
  let offset = offsetAt(timeZone, before);
  while (before < end - 1) {
    const at = Math.min(before + STEP, end - 1);
    const next = offsetAt(timeZone, at);
    if (next !== offset) found.push({ at: changeBetween(timeZone, before, at), offset: next });
    [before, offset] = [at, next];
  }
  if (changes.size >= MAX_YEARS) changes.clear();
  changes.set(key, found);
  return found;
}

/** First second with the offset of `to`, in milliseconds since 1970. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const offset = offsetAt(timeZone, to);
  let [before, after] = [Math.floor(from / SECOND), Math.ceil(to / SECOND)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(timeZone, middle * SECOND) === offset) after = middle;
    else before = middle;
  }
  return after * SECOND;
}

/** Formats by zone, since creating one takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 500;

/** Offset of local time from UTC at an instant, in milliseconds. */
export function offsetAt(timeZone: string, at: number): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    if (formats.size >= MAX_FORMATS) formats.clear();
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(name) ?? [];
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
  return sign === '-' ? -length : length;
}
