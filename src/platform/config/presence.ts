import { DAY, HOUR, MINUTE, SECOND } from '../clock.js';
import type { PresenceLimits } from '../presence.js';

/** `offlineAfter` is the text of PRESENCE_OFFLINE_AFTER. */
export function readPresence(read: ReadSetting, offlineAfter: string): PresenceLimits {
  const offlineMs = read('PRESENCE_OFFLINE_AFTER', parseDuration, Infinity);
  const parse = (value: string): number => {
    const staleMs = parseDuration(value);
    if (staleMs >= offlineMs) throw new Error(`must be less than PRESENCE_OFFLINE_AFTER (${offlineAfter})`);
    return staleMs;
  };
  return { staleMs: read('PRESENCE_STALE_AFTER', parse, 0), offlineMs };
}

/**
 * Parses a setting by its name. If that fails, returns `onError` and records the error; the start then fails
 * with the errors of all settings.
 */
export type ReadSetting = <T>(name: string, parse: (value: string) => T, onError: T) => T;

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const FORM = /^([0-9]{1,6})([smhd])$/;

/**
 * Milliseconds of a duration such as `30s`, `15m`, `24h` or `90d`. Errors: an `Error` that says what is
 * allowed.
 */
function parseDuration(value: string): number {
  const [, digits = '', unit = ''] = FORM.exec(value) ?? [];
  const milliseconds = Number(digits) * (UNITS[unit] ?? 0);
  if (milliseconds === 0)
    throw new Error('must be a duration of at least 1s, for example 30s, 15m, 24h or 90d');
  return milliseconds;
}
