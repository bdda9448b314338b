import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

import type { Clock } from '../../platform/clock.js';
import { HOUR, SECOND } from '../../platform/clock.js';
import { clientNetwork } from '../../platform/network.js';
import { clientAddress } from '../client-address.js';
import { HttpProblem } from '../problem.js';
import { requestContextOf, type Budget } from '../request-context.js';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
  readonly exceeded: boolean;
}

/** Counts requests in fixed windows, by network: an IPv4 address or an IPv6 /64. */
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
        // Can exceed the window only if the machine's clock was set back.
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

/** The client's limit after one request was counted. */
export interface Counted {
  readonly budget: Budget;
  /** Seconds until the next window if the client is over its limit, else null. */
  readonly retryAfter: number | null;
}

/** Counts one request from an IP address; null if the rate limit is off. */
export type CountRequest = (address: string) => Promise<Counted | null>;

/** A null limiter turns the rate limit off. */
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

/** The message for a client over its limit. */
export function overLimit({ limit }: Budget): string {
  return `Too many requests: at most ${limit} an hour. Wait for the next window.`;
}

/**
 * Sets the three rate limit headers (contract 14) and refuses a client over its limit with 429. No headers if the
 * rate limit is off.
 */
export function rateLimit(count: CountRequest): RequestHandler {
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
    if (retryAfter === null) next();
    else next(tooManyRequests(retryAfter, budget));
  };
}

function tooManyRequests(retryAfter: number, budget: Budget): HttpProblem {
  return new HttpProblem(429, 'rate_limited', overLimit(budget), { 'Retry-After': String(retryAfter) });
}
