/** A length of time in calendar units, for example `13 months`; `months` or `days` is 0. */
export interface Period {
  readonly months: number;
  readonly days: number;
}

const FORM = /^([1-9]\d{0,4}) ?(d|days?|w|weeks?|m|months?|y|years?)$/i;
const MAX_MONTHS = 1_200;
const MAX_DAYS = 36_500;
const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;

/**
 * Reads `90 days`, `12 weeks`, `13 months` or `2 years`, also as `90d`, `12w`, `13m` or `2y`. Errors: an
 * `Error`.
 */
export function parsePeriod(text: string): Period {
  const [, digits = '', unit = ''] = FORM.exec(text.trim()) ?? [];
  const count = Number(digits);
  const period = periodOf(count, unit.charAt(0).toLowerCase());
  if (count === 0)
    throw new Error(`must be a length of time from 1 day on, for example 90 days or 13 months`);
  if (period.months > MAX_MONTHS || period.days > MAX_DAYS) throw new Error('must be 100 years at most');
  return period;
}

function periodOf(count: number, unit: string): Period {
  if (unit === 'd') return { months: 0, days: count };
  if (unit === 'w') return { months: 0, days: count * DAYS_PER_WEEK };
  return { months: unit === 'y' ? count * MONTHS_PER_YEAR : count, days: 0 };
}

/**
 * The instant one period before `now`, in UTC. A day that the month does not have becomes its last day: 1
 * month before 31 March is 28 or 29 February.
 */
export function instantBefore(now: Date, { months, days }: Period): Date {
  const at = new Date(now);
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(now.getUTCDate(), lastDay) - days);
  return at;
}
