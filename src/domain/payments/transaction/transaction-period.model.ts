import { MINUTE, SPANS, type Span } from '../../../platform/clock.js';

/** Milliseconds since 1970, `to` excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A time range with the number of transactions in it. */
export interface CountedTimeRange extends TimeRange {
  readonly total: number;
}

/** The time of all records. */
const ALWAYS: TimeRange = { from: 0, to: Date.UTC(10_000, 0, 1) };

export function isAlways({ from, to }: TimeRange): boolean {
  return from === ALWAYS.from && to === ALWAYS.to;
}

/** Time range from `from` to `to`, exclusive; null means without a limit. Empty if `to` is before `from`. */
export function periodOf(from: number | null | undefined, to: number | null | undefined): TimeRange {
  const begin = Math.max(from ?? ALWAYS.from, ALWAYS.from);
  return { from: begin, to: Math.max(Math.min(to ?? ALWAYS.to, ALWAYS.to), begin) };
}

/** The shortest span, by which a page is found in a day. */
export const HALF_HOURS: readonly Span[] = [30];
const HALF_HOUR = 30 * MINUTE;

/** The half hours that overlap a time range. */
export const halfHoursAround = ({ from, to }: TimeRange): TimeRange => ({
  from: Math.floor(from / HALF_HOUR) * HALF_HOUR,
  to: Math.ceil(to / HALF_HOUR) * HALF_HOUR,
});

/** A part of a period: successive spans of the same length, or of `instant`, a part of a half hour. */
export interface PeriodPart extends TimeRange {
  readonly of: Span | 'instant';
}

/** Splits a period into days, shorter spans at both ends, and the rest; ascending. */
export function splitPeriod(period: TimeRange, spans: readonly Span[] = SPANS): readonly PeriodPart[] {
  if (period.from >= period.to) return [];
  const [span, ...shorter] = spans;
  if (span === undefined) return [{ of: 'instant', ...period }];
  const length = span * MINUTE;
  const from = Math.ceil(period.from / length) * length;
  const to = Math.floor(period.to / length) * length;
  if (from >= to) return splitPeriod(period, shorter);
  return [
    ...splitPeriod({ from: period.from, to: from }, shorter),
    { of: span, from, to },
    ...splitPeriod({ from: to, to: period.to }, shorter),
  ];
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
