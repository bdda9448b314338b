import { setTimeout as sleep } from 'node:timers/promises';

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

/** Waits until `ms` have passed or the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
}

/** Returns a function that is true at most once in so many milliseconds, for each key. */
export function atMostEvery(ms: number, clock: Pick<Clock, 'elapsed'> = systemClock) {
  const times = new Map<string, number>();
  return (key = ''): boolean => {
    const now = clock.elapsed();
    const isDue = now - (times.get(key) ?? -Infinity) >= ms;
    if (isDue) times.set(key, now);
    return isDue;
  };
}

const DURATION_UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Milliseconds of a duration such as `0s`, `15m`, `24h` or `90d`; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const ofUnit = DURATION_UNITS[unit];
  return ofUnit === undefined ? undefined : Number(digits) * ofUnit;
}

/** A whole number of seconds as the shortest text that `readDuration` reads. */
export function durationText(milliseconds: number): string {
  const [unit, ofUnit] = Object.entries(DURATION_UNITS).findLast(
    ([, each]) => milliseconds > 0 && milliseconds % each === 0,
  ) ?? ['s', SECOND];
  return `${milliseconds / ofUnit}${unit}`;
}
