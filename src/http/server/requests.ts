import type { RequestHandler, Response } from 'express';

import type { Caller } from '../../platform/caller.js';
import { HOUR, SECOND, type Clock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import type { Slot } from '../../platform/limits/slots.js';
import { createNetworkCounter, type WindowStores } from '../../platform/limits/windows.js';
import { clientNetwork } from '../../platform/network.js';
import { HttpProblem } from '../problem.js';
import { requestContextOf, type Budget } from '../request-context.js';

/** Maximum requests without a complete response. Sockets and event streams have separate limits. */
export const REQUEST_LIMITS = {
  /** Requests of one IPv4 address or IPv6 /64 network, other than those of terminals. */
  ofNetwork: 250,
  /** Requests of terminals of one network before their token is verified. Thousands may share an address. */
  ofNetworkByTerminals: 500,
  ofCompany: 500,
} as const;

const RETRY_SECONDS = 5;

/** Refuses requests of a network that has too many in progress: 429. */
export const limitRequests = limitOfNetwork('requests_of_network', REQUEST_LIMITS.ofNetwork);

/** Refuses requests of terminals if their network has too many in progress: 429. */
export const limitTerminalRequests = limitOfNetwork(
  'terminal_requests_of_network',
  REQUEST_LIMITS.ofNetworkByTerminals,
);

function limitOfNetwork(kind: string, max: number): RequestHandler {
  return (_request, response, next) => {
    const of = clientNetwork(requestContextOf(response).ip);
    takeSlot(response, { kind, of, max }, () => {
      const message = `Too many requests at the same time: at most ${max} from one address.`;
      return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(RETRY_SECONDS) });
    });
    // The request waited in a queue before this: its client may have left.
    if (!response.closed) next();
  };
}

/** Counts the request until `leaveRequests`. Errors: `refusal` if too many of its kind are in progress. */
export function takeSlot(response: Response, slot: Slot, refusal: () => Error): void {
  const { limits, leave } = requestContextOf(response);
  const taken = limits.slots.take(slot);
  if (typeof taken !== 'function') throw refusal();
  if (response.closed) taken();
  else leave.push(taken);
}

/**
 * Stores the caller in the context and counts the request for its company. Requests of terminals and of users
 * are counted separately. Errors: `busy` if the company has too many in progress.
 */
export function enterCompany(
  response: Response,
  caller: Pick<Caller, 'companyId' | 'userId'>,
  of: 'users' | 'terminals' = 'users',
): void {
  requestContextOf(response).caller = caller;
  const kind = of === 'users' ? 'requests_of_company' : 'terminal_requests_of_company';
  const max = REQUEST_LIMITS.ofCompany;
  takeSlot(response, { kind, of: String(caller.companyId), max }, () => {
    const message = `Too many requests at the same time: at most ${max} of one company.`;
    return new DomainError('busy', message, { retryAfter: RETRY_SECONDS });
  });
}

/** Stops counting the request as in progress: it continues as an event stream. */
export function leaveRequests(response: Response): void {
  const { leave } = requestContextOf(response);
  for (const release of leave.splice(0)) release();
}

/** The client's limit after one request was counted. */
export interface Counted {
  readonly budget: Budget;
  /** Seconds until the next window if the client is over its limit, else null. */
  readonly retryAfter: number | null;
}

/** Counts one request from an IP address; null if the rate limit is off. */
export type CountRequest = (address: string) => Counted | null;

/**
 * Counts in fixed windows, by network (contract 14), and calls `onOver` for each request over the limit. A limit of 0
 * turns the rate limit off.
 */
export function createRequestCounter(
  limit: number,
  clock: Clock,
  windows: WindowStores,
  windowMs = HOUR,
  onOver = (): void => undefined,
): CountRequest {
  if (limit === 0) return () => null;
  const counter = createNetworkCounter({ name: 'requests', points: limit, windowMs }, windows);
  return (address) => {
    const { remaining, isOver, msLeft } = counter.count(address);
    const reset = Math.ceil((clock.now().getTime() + msLeft) / SECOND);
    if (isOver) onOver();
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
  return (_request, response, next) => {
    const context = requestContextOf(response);
    const counted = count(context.ip);
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
