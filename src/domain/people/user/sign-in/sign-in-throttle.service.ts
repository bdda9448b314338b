import { MINUTE, SECOND } from '../../../../platform/clock.js';
import { DomainError } from '../../../../platform/errors.js';
import { createNetworkCounter } from '../../../../platform/limits/network-counter.js';
import type { WindowStores } from '../../../../platform/limits/window-store.js';

const FAILURES = 30;
const WINDOW_MS = 10 * MINUTE;

/** Holds back a network from which too many sign-ins failed, whatever the accounts (contract 25). */
export interface SignInThrottle {
  /** Errors: `too_many_attempts`. */
  check(ip: string): Promise<void>;
  countFailure(ip: string): Promise<void>;
}

export function createSignInThrottle(windows: WindowStores): SignInThrottle {
  const limits = { name: 'sign-in', points: FAILURES, windowMs: WINDOW_MS };
  const failures = createNetworkCounter(limits, windows);
  return {
    check: async (ip) => {
      await failures.exchange(ip);
      const { isFull, msLeft } = await failures.read(ip);
      if (!isFull) return;
      throw new DomainError('too_many_attempts', 'Too many failed sign-ins: wait before trying again.', {
        retryAfter: Math.max(1, Math.ceil(msLeft / SECOND)),
      });
    },
    countFailure: async (ip) => {
      await failures.count(ip);
      // Without delay: otherwise an attacker could try as often on each node before the other nodes know the
      // failures.
      await failures.exchange(ip);
    },
  };
}
