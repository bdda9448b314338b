import { DAY, HOUR, MINUTE, SECOND } from '../clock.js';

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const FORM = /^([0-9]{1,6})([smhd])$/;

/**
 * Milliseconds of a duration such as `30s`, `15m`, `24h` or `90d`. Errors: an `Error` that says what is
 * allowed.
 */
export function parseDuration(value: string): number {
  const [, digits = '', unit = ''] = FORM.exec(value) ?? [];
  const milliseconds = Number(digits) * (UNITS[unit] ?? 0);
  if (milliseconds === 0)
    throw new Error('must be a duration of at least 1s, for example 30s, 15m, 24h or 90d');
  return milliseconds;
}
