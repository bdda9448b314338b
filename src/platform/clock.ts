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

/**
 * Offsets within a UTC day or hour, besides 0, at which days of other time zones begin: 18:30 UTC in Kolkata,
 * 18:15 in Kathmandu. Rollups have the sums from each offset to the end of the unit, in columns such as
 * `total_from_noon`.
 */
export const UNIT_PARTS = {
  day: [{ name: 'from_noon', from: 12 * HOUR }],
  hour: [
    { name: 'from_15', from: 15 * MINUTE },
    { name: 'from_30', from: 30 * MINUTE },
  ],
} as const;
