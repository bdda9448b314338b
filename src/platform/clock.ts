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

/** In milliseconds, like MINUTE, HOUR and DAY. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
