import { LRUCache } from 'lru-cache';

import { DAY, MINUTE, SECOND } from './clock.js';

/** A change of local time: from `at` on, clocks show UTC plus `offset`. In milliseconds, `at` since 1970. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** The offset at `from` and each later change before `to`, ascending. `timeZone` must be known to Intl. */
export function offsetsIn(timeZone: string, from: number, to: number): readonly OffsetChange[] {
  const offsets = [{ at: from, offset: offsetAt(timeZone, from) }];
  const last = new Date(to).getUTCFullYear();
  for (let year = new Date(from).getUTCFullYear(); year <= last; year += 1) {
    offsets.push(...changes.memo(`${year} ${timeZone}`).filter(({ at }) => at > from && at < to));
  }
  return offsets;
}

/** Step of the search for changes. Changes closer together would be missed; there are none since 1970. */
const STEP = 3 * DAY;

/** Changes by year and zone, for example `2026 Asia/Tokyo`. Finding those of one year takes about a millisecond. */
const changes = new LRUCache<string, readonly OffsetChange[]>({ max: 2_000, memoMethod: changesOf });

function changesOf(yearAndZone: string): readonly OffsetChange[] {
  const [year = '', timeZone = ''] = yearAndZone.split(' ');
  const found: OffsetChange[] = [];
  const end = Date.UTC(Number(year) + 1, 0, 1);
  let before = Date.UTC(Number(year), 0, 1) - 1;
  let offset = offsetAt(timeZone, before);
  while (before < end - 1) {
    const at = Math.min(before + STEP, end - 1);
    const next = offsetAt(timeZone, at);
    if (next !== offset) found.push({ at: changeBetween(timeZone, before, at), offset: next });
    [before, offset] = [at, next];
  }
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
const formats = new LRUCache<string, Intl.DateTimeFormat>({
  max: 500,
  memoMethod: (timeZone) => new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }),
});

/** Offset of local time from UTC at an instant, in milliseconds. */
export function offsetAt(timeZone: string, at: number): number {
  const parts = formats.memo(timeZone).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(name) ?? [];
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
  return sign === '-' ? -length : length;
}

/** `2026-01-31T09:00:00-03:00`, the instant in a time zone, or with milliseconds `…:00.000-03:00` (contract 12). */
export function zonedTimestamp(instant: Date, timeZone: string, milliseconds = false): string {
  const offset = timeZone === 'UTC' ? 0 : offsetAt(timeZone, instant.getTime());
  return timestampAt(instant.getTime(), offset, milliseconds);
}

/** An instant for people: `2026-01-31 09:00 (America/Sao_Paulo)`. */
export const clockTime = (instant: Date, timeZone: string): string =>
  `${zonedTimestamp(instant, timeZone).slice(0, 16).replace('T', ' ')} (${timeZone})`;

/** An instant as clocks with an offset from UTC show it; both in milliseconds. */
export function timestampAt(at: number, offset: number, milliseconds: boolean): string {
  const minutes = Math.trunc(offset / MINUTE);
  const local = new Date(at + minutes * MINUTE).toISOString();
  const hour = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  const minute = String(Math.abs(minutes) % 60).padStart(2, '0');
  return `${local.slice(0, milliseconds ? 23 : 19)}${minutes < 0 ? '-' : '+'}${hour}:${minute}`;
}
