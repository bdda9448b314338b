import type { NextFunction, RequestHandler, Response } from 'express';

import type { Caller } from '../../platform/caller.js';
import { DomainError } from '../../platform/errors.js';
import { clientNetwork } from '../../platform/network.js';
import { HttpProblem } from '../problem.js';
import { onClosed, requestContextOf } from '../request-context.js';

/** Requests in progress: received and not responded to in full. Sockets and event streams have limits of their own. */
export const REQUEST_LIMITS = {
  /** Of one IPv4 address or IPv6 /64 network. */
  ofNetwork: 250,
  /** Of terminals whose token is not verified yet, which may share an address by thousands; they count apart. */
  ofNetworkByTerminals: 500,
  ofCompany: 500,
} as const;

const RETRY_SECONDS = 5;

/** Refuses requests of a network that has too many in progress: 429. */
export const limitRequests = limitOfNetwork('requests_of_network', REQUEST_LIMITS.ofNetwork);

/** The same for requests of terminals. */
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
  // The request has waited before: its client may have left.
  if (response.closed) {
    taken();
    return;
  }
  context.leave.push(taken);
  onClosed(response, () => leaveRequests(response));
  next();
}

/**
 * Takes note of the caller. Errors: `busy` if the company has too many requests in progress; those of its terminals and those
 * of its users count apart.
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

/** The request does not count any more: it has ended, or goes on as an event stream. */
export function leaveRequests(response: Response): void {
  const { leave } = requestContextOf(response);
  for (const release of leave.splice(0)) release();
}
