import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';

import { MINUTE, SECOND } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { clientNetwork } from '../../../platform/network.js';

const FAILURES = 30;
const WINDOW_MS = 10 * MINUTE;

/** Holds back a network from which too many sign-ins failed, whatever the accounts. */
export interface SignInThrottle {
  /** Errors: `too_many_attempts`. */
  check(ip: string): Promise<void>;
  countFailure(ip: string): Promise<void>;
}

export function createSignInThrottle(): SignInThrottle {
  const store: RateLimiterAbstract = new RateLimiterMemory({
    points: FAILURES,
    duration: WINDOW_MS / SECOND,
  });
  return {
    check: async (ip) => {
      const state = await store.get(clientNetwork(ip));
      if (state === null || state.consumedPoints < FAILURES || state.msBeforeNext <= 0) return;
      throw new DomainError('too_many_attempts', 'Too many failed sign-ins: wait before trying again.', {
        retryAfter: Math.ceil(state.msBeforeNext / SECOND),
      });
    },
    countFailure: async (ip) => {
      await store.penalty(clientNetwork(ip));
    },
  };
}
