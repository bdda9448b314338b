/** Milliseconds by which the clocks of the zone are ahead of UTC at this time. */
function offsetAt(time: number, timeZone: string): number {
  // Swedish times are written as in ISO 8601: 2026-11-26 08:15:30.
  const clock = new Date(time).toLocaleString('sv-SE', { timeZone });
  return Date.parse(`${clock.replace(' ', 'T')}Z`) - Math.floor(time / 1_000) * 1_000;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The first instant at which clocks of the zone show this, read as if it were UTC: `2026-11-26T00:00`. A time that the
 * clocks skip, such as midnight in Santiago on 2026-09-06, stands for the one an hour later (if they skip an hour).
 */
export function instantOf(clock: string, timeZone: string): Date {
  const utc = Date.parse(`${clock}Z`);
  const before = utc - offsetAt(utc - DAY_MS, timeZone);
  const after = utc - offsetAt(utc + DAY_MS, timeZone);
  const isShown = (at: number): boolean => at + offsetAt(at, timeZone) === utc;
  return new Date(!isShown(before) && isShown(after) ? after : before);
}

/** Clock reading of the zone at this instant: `2026-11-26T08:15`. */
export function clockOf(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetAt(at.getTime(), timeZone)).toISOString().slice(0, 16);
}

/** First instants of the present day and month, of the last 24 hours by the clock, and of the last 7 days. */
export function startsOf(timeZone: string) {
  const start = (clock: string): string => instantOf(clock, timeZone).toISOString();
  const now = Date.now();
  const today = clockOf(new Date(now), timeZone).slice(0, 10);
  const weekAgo = new Date(Date.parse(today) - 6 * DAY_MS).toISOString().slice(0, 10);
  return {
    day: start(`${today}T00:00`),
    month: start(`${today.slice(0, 7)}-01T00:00`),
    hours: start(`${clockOf(new Date(now - 23 * HOUR_MS), timeZone).slice(0, 13)}:00`),
    week: start(`${weekAgo}T00:00`),
  };
}

/** Time zones to choose from, the present one among them. */
export const zonesWith = (present: string): readonly string[] => [
  ...new Set([present, ...Intl.supportedValuesOf('timeZone')]),
];
