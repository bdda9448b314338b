import type { PresenceLimits } from '../presence.js';
import { parseDuration } from './duration.js';
import type { ReadSetting } from './read-setting.js';

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
