/** The only place that reads the time, so that tests can set it. */
export interface Clock {
  now(): Date;
  /** Monotonic milliseconds since an arbitrary start; for durations. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
};

/** Milliseconds, like MINUTE, HOUR and DAY. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Lengths in minutes of the spans of time with totals: a UTC day, a quarter of one, and half an hour. */
export const SPANS = [1_440, 360, 30] as const;
export type Span = (typeof SPANS)[number];
