import { DAY } from '../../platform/clock.js';
import type { Moment } from './moment.model.js';

/** A stretch of time, milliseconds since 1970, `to` excluded, and how many transactions of a list lie in it. */
export interface Stretch extends Moment {
  readonly total: number;
}

const ALWAYS: Moment = { from: 0, to: Date.UTC(10_000, 0, 1) };

/** From the beginning of `since` to the end of `until`. */
export function periodOf(since: Moment | undefined, until: Moment | undefined): Moment {
  return {
    from: Math.max(since?.from ?? ALWAYS.from, ALWAYS.from),
    to: Math.min(until?.to ?? ALWAYS.to, ALWAYS.to),
  };
}

export interface SplitPeriod {
  /** Whole UTC days, as numbers since 1970-01-01, `to` excluded; null where there is none. */
  readonly days: Moment | null;
  /** What is left over before and after them. */
  readonly before: Moment | null;
  readonly after: Moment | null;
}

/** Whole days are counted already; only the ragged ends have to be. */
export function splitPeriod({ from, to }: Moment): SplitPeriod {
  const first = Math.ceil(from / DAY);
  const end = Math.floor(to / DAY);
  if (first >= end) return { days: null, before: null, after: stretch(from, to) };
  return {
    days: { from: first, to: end },
    before: stretch(from, first * DAY),
    after: stretch(end * DAY, to),
  };
}

function stretch(from: number, to: number): Moment | null {
  return from < to ? { from, to } : null;
}

/** One UTC day as a stretch. */
export function dayStretch({ day, total }: { day: number; total: number }): Stretch {
  return { from: day * DAY, to: (day + 1) * DAY, total };
}

/** Where the rows of a page lie, and how many of that stretch come before its first row. */
export interface PagePlace extends Moment {
  readonly skip: number;
  readonly limit: number;
}

/** Finds a page by the totals of stretches, newest first; undefined for a page that has no rows. */
export function placeOfPage(
  stretches: readonly Stretch[],
  offset: number,
  limit: number,
): PagePlace | undefined {
  let before = 0;
  let start: { readonly to: number; readonly skip: number } | undefined;
  let from = 0;
  for (const { total, ...place } of stretches) {
    if (total > 0 && before + total > offset) {
      start ??= { to: place.to, skip: offset - before };
      from = place.from;
    }
    before += total;
    if (before >= offset + limit) break;
  }
  return start && { from, to: start.to, skip: start.skip, limit };
}
