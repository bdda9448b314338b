import { HOUR, MINUTE } from './clock.js';

/** Milliseconds without a request after which a terminal counts as stale, and then as offline. */
export interface PresenceLimits {
  readonly staleMs: number;
  /** Greater than `staleMs`. */
  readonly offlineMs: number;
}

export const PRESENCE_LIMITS: PresenceLimits = { staleMs: 15 * MINUTE, offlineMs: 24 * HOUR };
