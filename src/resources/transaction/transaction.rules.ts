import { DAY } from '../../platform/clock.js';
import type { TimeRange, CountedTimeRange } from './time-range.model.js';

const ALWAYS: TimeRange = { from: 0, to: Date.UTC(10_000, 0, 1) };

/** From one instant to another, the later one excluded, where they are given; never empty the other way round. */
export function periodOf(from: number | null | undefined, to: number | null | undefined): TimeRange {
  const begin = Math.max(from ?? ALWAYS.from, ALWAYS.from);
  return { from: begin, to: Math.max(Math.min(to ?? ALWAYS.to, ALWAYS.to), begin) };
}

export function isAlways({ from, to }: TimeRange): boolean {
  return from === ALWAYS.from && to === ALWAYS.to;
}

export interface SplitPeriod {
  /** Whole days or hours, as numbers since 1970-01-01, UTC, `to` excluded; null where there is none. */
  readonly whole: TimeRange | null;
  /** What is left over before and after them. */
  readonly before: TimeRange | null;
  readonly after: TimeRange | null;
}

/** Whole days are counted already, and so are whole hours; only the ragged ends have to be. */
export function splitPeriod({ from, to }: TimeRange, unit: number = DAY): SplitPeriod {
  const first = Math.ceil(from / unit);
  const end = Math.floor(to / unit);
  if (first >= end) return { whole: null, before: null, after: stretch(from, to) };
  return {
    whole: { from: first, to: end },
    before: stretch(from, first * unit),
    after: stretch(end * unit, to),
  };
}

function stretch(from: number, to: number): TimeRange | null {
  return from < to ? { from, to } : null;
}

/** Stretches in order, put together as long as they have no more than `most`. */
export function partsOf(stretches: readonly CountedTimeRange[], most: number): readonly CountedTimeRange[] {
  const parts: CountedTimeRange[] = [];
  for (const { from, to, total } of stretches) {
    const last = parts.at(-1);
    if (last === undefined || last.total + total > most) parts.push({ from, to, total });
    else parts[parts.length - 1] = { from: last.from, to, total: last.total + total };
  }
  return parts;
}

/** One UTC day as a stretch. */
export function dayStretch({ day, total }: { day: number; total: number }): CountedTimeRange {
  return { from: day * DAY, to: (day + 1) * DAY, total };
}

/** Where the rows of a page lie, and how many of that stretch come before its first row. */
export interface PagePlace extends TimeRange {
  readonly skip: number;
  readonly limit: number;
}

/** Finds a page by the totals of stretches, newest first; undefined for a page that has no rows. */
export function placeOfPage(
  stretches: readonly CountedTimeRange[],
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
