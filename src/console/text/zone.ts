/** Milliseconds by which the clocks of the zone are ahead of UTC at this time. */
function offsetAt(time: number, timeZone: string): number {
  // Swedish times are written as in ISO 8601: 2026-11-26 08:15:30.
  const clock = new Date(time).toLocaleString('sv-SE', { timeZone });
  return Date.parse(`${clock.replace(' ', 'T')}Z`) - Math.floor(time / 1_000) * 1_000;
}

/** The instant at which clocks of the zone show this, read as if it were UTC: `2026-11-26T00:00`. */
export function instantOf(clock: string, timeZone: string): Date {
  const utc = Date.parse(`${clock}Z`);
  const guess = utc - offsetAt(utc, timeZone);
  // The offset may be another one on the other side of a change of clocks.
  return new Date(utc - offsetAt(guess, timeZone));
}

/** Clock reading of the zone at this instant: `2026-11-26T08:15`. */
export function clockOf(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetAt(at.getTime(), timeZone)).toISOString().slice(0, 16);
}

const HOUR_MS = 3_600_000;

/** First instants of the present day and month, of the last 24 hours by the clock, and of the last 7 days. */
export function startsOf(timeZone: string) {
  const start = (clock: string): string => instantOf(clock, timeZone).toISOString();
  const clockBefore = (hours: number): string => clockOf(new Date(Date.now() - hours * HOUR_MS), timeZone);
  const today = clockBefore(0).slice(0, 10);
  return {
    day: start(`${today}T00:00`),
    month: start(`${today.slice(0, 7)}-01T00:00`),
    hours: start(`${clockBefore(23).slice(0, 13)}:00`),
    week: start(`${clockBefore(6 * 24).slice(0, 10)}T00:00`),
  };
}

/** Time zones to choose from, the present one among them. */
export const zonesWith = (present: string): readonly string[] => [
  ...new Set([present, ...Intl.supportedValuesOf('timeZone')]),
];
