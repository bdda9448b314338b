import { ALWAYS, type TimeRange, type CountedTimeRange } from './time-range.model.js';

/** Time range from `from` to `to`, exclusive; null means without a limit. Empty if `to` is before `from`. */
export function periodOf(from: number | null | undefined, to: number | null | undefined): TimeRange {
  const begin = Math.max(from ?? ALWAYS.from, ALWAYS.from);
  return { from: begin, to: Math.max(Math.min(to ?? ALWAYS.to, ALWAYS.to), begin) };
}

/** Joins successive ranges as long as they have at most `most` transactions together. */
export function partsOf(ranges: readonly CountedTimeRange[], most: number): readonly CountedTimeRange[] {
  const parts: CountedTimeRange[] = [];
  for (const { from, to, total } of ranges) {
    const last = parts.at(-1);
    if (last === undefined || last.total + total > most) parts.push({ from, to, total });
    else parts[parts.length - 1] = { from: last.from, to, total: last.total + total };
  }
  return parts;
}

/** The time range with the rows of a page, and the number of rows in it before the first one of the page. */
export interface PagePlace extends TimeRange {
  readonly skip: number;
  readonly limit: number;
}

/** Finds a page by the totals of ranges, newest first; undefined for a page without rows. */
export function placeOfPage(
  ranges: readonly CountedTimeRange[],
  offset: number,
  limit: number,
): PagePlace | undefined {
  let before = 0;
  let start: { readonly to: number; readonly skip: number } | undefined;
  let from = 0;
  for (const range of ranges) {
    if (range.total > 0 && before + range.total > offset) {
      start ??= { to: range.to, skip: offset - before };
      from = range.from;
    }
    before += range.total;
    if (before >= offset + limit) break;
  }
  return start && { from, to: start.to, skip: start.skip, limit };
}
