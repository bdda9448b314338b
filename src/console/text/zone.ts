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

/** The date some days later: `2026-11-30` is 4 days after `2026-11-26`. */
const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** First date of a month: 0 for that of the date, -1 for the one before. */
function monthOf(date: string, months: number): string {
  const [year = 0, month = 0] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}

/** First instants of the intervals that the overview shows, and of what follows them. */
export function startsOf(timeZone: string, now = Date.now()) {
  const start = (clock: string): string => instantOf(clock, timeZone).toISOString();
  const [today = '', clock = ''] = clockOf(new Date(now), timeZone).split('T');
  return {
    day: start(`${today}T00:00`),
    tomorrow: start(`${daysAfter(today, 1)}T00:00`),
    weekBefore: start(`${daysAfter(today, -7)}T00:00`),
    weekBeforeNow: start(`${daysAfter(today, -7)}T${clock}`),
    weekBeforeEnd: start(`${daysAfter(today, -6)}T00:00`),
    month: start(`${monthOf(today, 0)}T00:00`),
    hours: start(`${clockOf(new Date(now - 23 * HOUR_MS), timeZone).slice(0, 13)}:00`),
    nextHour: start(`${clockOf(new Date(now + HOUR_MS), timeZone).slice(0, 13)}:00`),
    week: start(`${daysAfter(today, -6)}T00:00`),
  };
}

export const INTERVALS = [
  'TODAY',
  'YESTERDAY',
  'LAST_7_DAYS',
  'LAST_30_DAYS',
  'THIS_MONTH',
  'LAST_MONTH',
] as const;

export interface Interval {
  /** First instant, and the first one after it. */
  readonly from: string;
  readonly to: string;
  /** The time before of the same length, until the same time of day while the interval has not ended. */
  readonly before: { readonly from: string; readonly to: string };
}

/** An interval of whole days of the zone, the present one among them but in YESTERDAY and LAST_MONTH. */
export function intervalOf(name: (typeof INTERVALS)[number], timeZone: string, now = new Date()): Interval {
  const [today = '', clock = ''] = clockOf(now, timeZone).split('T');
  const day = (days: number): string => daysAfter(today, days);
  const month = (months: number): string => monthOf(today, months);
  const sameDay = daysAfter(month(-1), Number(today.slice(8)) - 1);
  const present = `${clock}:00`;
  const known = {
    TODAY: [day(0), day(1), day(-1), `${day(-1)}T${present}`],
    YESTERDAY: [day(-1), day(0), day(-2), day(-1)],
    LAST_7_DAYS: [day(-6), day(1), day(-13), `${day(-7)}T${present}`],
    LAST_30_DAYS: [day(-29), day(1), day(-59), `${day(-30)}T${present}`],
    // A month that is shorter ends before the same day.
    THIS_MONTH: [month(0), month(1), month(-1), sameDay < month(0) ? `${sameDay}T${present}` : month(0)],
    LAST_MONTH: [month(-1), month(0), month(-2), month(-1)],
  } as const;
  const [from, to, earlier, until] = known[name].map((at) => {
    return instantOf(at.includes('T') ? at : `${at}T00:00`, timeZone).toISOString();
  }) as [string, string, string, string];
  return { from, to, before: { from: earlier, to: until } };
}

/** Time zones to choose from, the present one among them. */
export const zonesWith = (present: string): readonly string[] => [
  ...new Set([present, ...Intl.supportedValuesOf('timeZone')]),
];
