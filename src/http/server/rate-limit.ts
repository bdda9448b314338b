import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

import type { Clock } from '../../platform/clock.js';
import { HOUR, SECOND } from '../../platform/clock.js';
import { clientNetwork } from '../../platform/network.js';
import { clientAddress } from '../client-address.js';
import { requestContextOf, type Budget } from '../request-context.js';

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

/** What counting one request of a client came to. */
export interface Counted {
  /** As it is after this request. */
  readonly budget: Budget;
  /** Seconds until the next window, for a client over its limit; null for the others. */
  readonly retryAfter: number | null;
}

/** Counts one request from an address; null where nothing is counted. */
export type CountRequest = (address: string) => Promise<Counted | null>;

/** A limiter of null counts nothing. */
export function countRequests(limiter: RateLimiter | null, clock: Clock): CountRequest {
  if (limiter === null) return () => Promise.resolve(null);
  return async (address) => {
    const { limit, remaining, endsIn, exceeded } = await limiter.count(clientNetwork(address));
    const reset = Math.ceil((clock.now().getTime() + endsIn) / SECOND);
    return {
      budget: { limit, remaining, resetAt: new Date(reset * SECOND) },
      retryAfter: exceeded ? Math.max(1, Math.ceil(endsIn / SECOND)) : null,
    };
  };
}

/** What a client over its limit is told. */
export function overLimit({ limit }: Budget): string {
  return `Too many requests: at most ${limit} an hour. Wait for the next window.`;
}

/**
 * Puts the three rate limit headers on every response (contract 14) and calls `refuse` for a client over its
 * limit. Where nothing is counted, there are no such headers.
 */
export function rateLimit(
  count: CountRequest,
  refuse: (retryAfter: number, message: string) => Error,
): RequestHandler {
  return async (request, response, next) => {
    const counted = await count(clientAddress(request));
    if (counted === null) {
      next();
      return;
    }
    const { budget, retryAfter } = counted;
    requestContextOf(response).budget = budget;
    response.setHeader('X-Rate-Limit-Limit', budget.limit);
    response.setHeader('X-Rate-Limit-Remaining', budget.remaining);
    response.setHeader('X-Rate-Limit-Reset', budget.resetAt.getTime() / SECOND);
    next(retryAfter === null ? undefined : refuse(retryAfter, overLimit(budget)));
  };
}
