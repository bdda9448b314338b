import { MINUTE, SECOND, type Clock } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { createNetworkCounter, inMemory } from '../../../platform/limits/network-counter.js';

const FAILURES = 30;
const WINDOW_MS = 10 * MINUTE;

/** Holds back a network from which too many sign-ins failed, whatever the accounts (contract 25). */
export interface SignInThrottle {
  /** Errors: `too_many_attempts`. */
  check(ip: string): Promise<void>;
  countFailure(ip: string): Promise<void>;
}

export function createSignInThrottle(clock: Clock): SignInThrottle {
  const failures = createNetworkCounter(FAILURES, WINDOW_MS, inMemory(clock));
  return {
    check: async (ip) => {
      const { isFull, msLeft } = await failures.read(ip);
      if (!isFull) return;
      throw new DomainError('too_many_attempts', 'Too many failed sign-ins: wait before trying again.', {
        retryAfter: Math.max(1, Math.ceil(msLeft / SECOND)),
      });
    },
    countFailure: async (ip) => {
      await failures.count(ip);
    },
  };
}
