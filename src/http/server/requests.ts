import type { NextFunction, RequestHandler, Response } from 'express';

import type { Caller } from '../../platform/caller.js';
import { DomainError } from '../../platform/errors.js';
import { clientNetwork } from '../../platform/network.js';
import { HttpProblem } from '../problem.js';
import { onClosed, requestContextOf } from '../request-context.js';

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
  return (_request, response, next) => takeNetwork(kind, max, response, next);
}

function takeNetwork(kind: string, max: number, response: Response, next: NextFunction): void {
  const context = requestContextOf(response);
  const network = { kind, of: clientNetwork(context.ip), max };
  const taken = context.limits.slots.take(network);
  if (typeof taken !== 'function') {
    const message = `Too many requests at the same time: at most ${network.max} from one address.`;
    throw new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(RETRY_SECONDS) });
  }
  // The request waited in a queue before this: its client may have left.
  if (response.closed) {
    taken();
    return;
  }
  context.leave.push(taken);
  onClosed(response, () => leaveRequests(response));
  next();
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
  const context = requestContextOf(response);
  context.caller = caller;
  const max = REQUEST_LIMITS.ofCompany;
  const taken = context.limits.slots.take({
    kind: of === 'users' ? 'requests_of_company' : 'terminal_requests_of_company',
    of: String(caller.companyId),
    max,
  });
  if (typeof taken !== 'function') {
    const message = `Too many requests at the same time: at most ${max} of one company.`;
    throw new DomainError('busy', message, { retryAfter: RETRY_SECONDS });
  }
  if (response.closed) taken();
  else context.leave.push(taken);
}

/** Stops counting the request as in progress: it has ended, or continues as an event stream. */
export function leaveRequests(response: Response): void {
  const { leave } = requestContextOf(response);
  for (const release of leave.splice(0)) release();
}
