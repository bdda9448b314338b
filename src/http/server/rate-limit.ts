import type { RequestHandler } from 'express';

import { HOUR, SECOND, type Clock } from '../../platform/clock.js';
import { createNetworkCounter } from '../../platform/limits/network-counter.js';
import type { WindowStores } from '../../platform/limits/window-store.js';
import { HttpProblem } from '../problem.js';
import { requestContextOf, type Budget } from '../request-context.js';

/** The client's limit after one request was counted. */
export interface Counted {
  readonly budget: Budget;
  /** Seconds until the next window if the client is over its limit, else null. */
  readonly retryAfter: number | null;
}

/** Counts one request from an IP address; null if the rate limit is off. */
export type CountRequest = (address: string) => Promise<Counted | null>;

/** Counts in fixed windows, by network (contract 14). A limit of 0 turns the rate limit off. */
export function createRequestCounter(
  limit: number,
  clock: Clock,
  windows: WindowStores,
  windowMs = HOUR,
): CountRequest {
  if (limit === 0) return () => Promise.resolve(null);
  const counter = createNetworkCounter({ name: 'requests', points: limit, windowMs }, windows);
  return async (address) => {
    const { remaining, isOver, msLeft } = await counter.count(address);
    const reset = Math.ceil((clock.now().getTime() + msLeft) / SECOND);
    return {
      budget: { limit, remaining, resetAt: new Date(reset * SECOND) },
      retryAfter: isOver ? Math.max(1, Math.ceil(msLeft / SECOND)) : null,
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
  return async (_request, response, next) => {
    const context = requestContextOf(response);
    const counted = await count(context.ip);
    if (counted !== null) {
      const { budget, retryAfter } = counted;
      context.budget = budget;
      response.setHeader('X-Rate-Limit-Limit', budget.limit);
      response.setHeader('X-Rate-Limit-Remaining', budget.remaining);
      response.setHeader('X-Rate-Limit-Reset', budget.resetAt.getTime() / SECOND);
      if (retryAfter !== null) {
        const headers = { 'Retry-After': String(retryAfter) };
        throw new HttpProblem(429, 'rate_limited', overLimit(budget), headers);
      }
    }
    next();
  };
}
