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
