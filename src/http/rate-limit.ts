import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

import type { Clock } from '../platform/clock.js';
import { HOUR, SECOND } from '../platform/clock.js';
import { clientNetwork } from '../platform/network.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
  readonly exceeded: boolean;
}

/** Counts a client's requests in fixed windows; another store takes this one's place on several nodes. */
export interface RateLimiter {
  count(network: string): Promise<RateLimitState>;
}

export function createRateLimiter(limit: number, windowMs = HOUR): RateLimiter {
  const store: RateLimiterAbstract = new RateLimiterMemory({ points: limit, duration: windowMs / SECOND });
  return {
    count: async (network) => {
      const [state, exceeded] = await consume(store, network);
      return {
        limit,
        remaining: Math.max(0, state.remainingPoints),
        // Longer only where the machine's clock was put back.
        endsIn: Math.min(state.msBeforeNext, windowMs),
        exceeded,
      };
    },
  };
}

async function consume(store: RateLimiterAbstract, network: string): Promise<[RateLimiterRes, boolean]> {
  try {
    return [await store.consume(network), false];
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return [refusal, true];
    throw refusal;
  }
}

/**
 * Puts the contract's three headers on every answer (section 8) and calls `refuse` for a client over its
 * limit. A limit of 0 counts nothing and sends no such headers.
 */
export function rateLimit(
  limiter: RateLimiter | null,
  clock: Clock,
  refuse: (retryAfter: number) => Error,
): RequestHandler {
  if (limiter === null) return (_request, _response, next) => next();
  return async (request, response, next) => {
    const state = await limiter.count(clientNetwork(clientAddress(request)));
    const now = clock.now().getTime();
    const reset = Math.ceil((now + state.endsIn) / SECOND);
    const { limit, remaining } = state;
    contextOf(response).budget = { limit, remaining, resetAt: new Date(reset * SECOND) };
    response.setHeader('X-Rate-Limit-Limit', limit);
    response.setHeader('X-Rate-Limit-Remaining', remaining);
    response.setHeader('X-Rate-Limit-Reset', reset);
    next(state.exceeded ? refuse(Math.max(1, Math.ceil(state.endsIn / SECOND))) : undefined);
  };
}
