import type { RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';

import { clientNetwork, type Slot } from '../../platform/client-limits.js';
import { type Clock, HOUR, MINUTE, SECOND } from '../../platform/clock.js';
import { gather } from '../../platform/concurrency/event-loop.js';
import { busy, DomainError } from '../../platform/errors.js';
import type { Authenticator, Caller } from '../../platform/requests.js';
import type { TerminalClaim } from '../../platform/terminal.js';
import { BoundedWindowStore, createNetworkCounter, type WindowStores } from '../../platform/windows.js';
import { HttpProblem, rateLimited, RETRY_SECONDS } from '../problem.js';
import { type Budget, headerOf, onClosed, requestContextOf } from '../request.js';
import { sessionCookieOf } from '../session-cookie.js';
import { leaveNetwork } from './connections.js';

/** Maximum requests without a complete response. Sockets and event streams have separate limits. */
export const REQUEST_LIMITS = {
  /** Requests of one IPv4 address or IPv6 /64 network, other than those of terminals. */
  ofNetwork: 250,
  /** Requests of terminals of one network before their token is verified. Thousands may share an address. */
  ofNetworkByTerminals: 500,
  ofCompany: 500,
} as const;

/** Refuses requests of a network that has too many in progress: 429. */
export const limitRequests = limitOfNetwork('requests_of_network', REQUEST_LIMITS.ofNetwork);

/** Refuses requests of terminals if their network has too many in progress: 429. */
const limitTerminalRequests = limitOfNetwork(
  'terminal_requests_of_network',
  REQUEST_LIMITS.ofNetworkByTerminals,
);

function limitOfNetwork(kind: string, max: number): RequestHandler {
  return (_request, response, next) => {
    const of = clientNetwork(requestContextOf(response).ip);
    takeSlot(response, { kind, of, max }, () => {
      return rateLimited(`Too many requests at the same time: at most ${max} from one address.`);
    });
    // The request waited in a queue before this: its client may have left.
    if (!response.closed) next();
  };
}

/** Counts the request until `leaveRequests` or the returned function is called. Errors: `refusal`, if the slot is full. */
export function takeSlot(response: Response, slot: Slot, refusal: () => Error): () => void {
  const { limits, leave } = requestContextOf(response);
  const taken = limits.slots.take(slot);
  if (typeof taken !== 'function') throw refusal();
  if (response.closed) taken();
  else leave.push(taken);
  return taken;
}

/** Stores the caller and counts the request for its company. Errors: `busy` if the company has too many in progress. */
export function enterCompany(
  response: Response,
  caller: Pick<Caller, 'companyId' | 'userId'>,
  of: 'users' | 'terminals' = 'users',
): void {
  requestContextOf(response).caller = caller;
  const kind = of === 'users' ? 'requests_of_company' : 'terminal_requests_of_company';
  const max = REQUEST_LIMITS.ofCompany;
  takeSlot(response, { kind, of: String(caller.companyId), max }, () =>
    busy(`Too many requests at the same time: at most ${max} of one company.`, RETRY_SECONDS),
  );
}

export const TERMINAL_LIMITS = {
  requestsPerMinute: 120,
  requestsInProgress: 4,
} as const;

/** Terminals whose requests one node counts at the same time; about 25 MB. */
const MAX_TERMINALS = 100_000;

/** Name of a terminal in limits. */
const terminalKey = ({ caller, serialNumber }: TerminalClaim): string =>
  `${caller.companyId}/${serialNumber}`;

/** Counts a request until its response is closed, on this node only: a terminal uses one node at a time. Errors: 429. */
export function createTerminalLimit(
  clock: Clock,
  onLimited: () => void,
): (response: Response, claim: TerminalClaim) => void {
  const points = TERMINAL_LIMITS.requestsPerMinute;
  const store = new BoundedWindowStore({ points, windowMs: MINUTE, maxKeys: MAX_TERMINALS }, clock);
  return (response, claim) => {
    const key = terminalKey(claim);
    const { count, msLeft } = store.count(key);
    if (count > points) {
      onLimited();
      const message = `Too many requests: at most ${points} a minute of one terminal.`;
      throw rateLimited(message, Math.ceil(msLeft / SECOND));
    }
    const max = TERMINAL_LIMITS.requestsInProgress;
    takeSlot(response, { kind: 'requests_of_terminal', of: key, max }, () =>
      rateLimited(`Too many requests: at most ${max} at the same time of one terminal.`),
    );
  };
}

/** Requests that may wait at the same time. */
export interface WaitingLimits {
  readonly ofTerminal: number;
  readonly ofCompany: number;
}

/** Counts a request of a terminal as waiting instead of as in progress, until it is closed. Errors: 429, `busy`. */
export function enterWaiting(response: Response, claim: TerminalClaim, limits: WaitingLimits): void {
  const company = String(claim.caller.companyId);
  const terminal = { kind: 'waiting_terminals_of_terminal', of: terminalKey(claim), max: limits.ofTerminal };
  const all = { kind: 'waiting_terminals_of_company', of: company, max: limits.ofCompany };
  const taken = requestContextOf(response).limits.slots.take(terminal, all);
  if (typeof taken === 'function') {
    leaveRequests(response);
    leaveNetwork(response.req.socket);
    onClosed(response, taken);
    return;
  }
  const message = 'Too many requests of this kind at the same time: at most';
  if (taken === terminal) throw rateLimited(`${message} ${taken.max} of one terminal.`);
  throw busy(`${message} ${taken.max} of one company.`, RETRY_SECONDS);
}

/** Stops counting the request as in progress: it continues as an event stream. */
export function leaveRequests(response: Response): void {
  const { leave } = requestContextOf(response);
  for (const release of leave.splice(0)) release();
}

/**
 * Counts one request of a client (see `clientKey`); null if the rate limit is off. What a page of the console reads again
 * by itself has a budget of its own, since nobody asked for it, and null there; beyond that, it counts as any request.
 */
export type CountRequest = (client: string, isRefresh?: boolean) => Budget | null;

/** Key of a client in the rate limit: its address, or its user in a session: an office may have one address. */
export const clientKey = (caller: Pick<Caller, 'sessionId' | 'userId'> | null, ip: string): string =>
  caller?.sessionId === undefined ? ip : `user ${caller.userId}`;

/** Counts in windows, by network (contract 14). Calls `onOver` for each request over the limit; 0 is no limit. */
export function createRequestCounter(
  limit: number,
  clock: Clock,
  windows: WindowStores,
  windowMs = HOUR,
  onOver = (): void => undefined,
): CountRequest {
  if (limit === 0) return () => null;
  const counter = createNetworkCounter({ name: 'requests', points: limit, windowMs }, windows);
  const refreshes = createNetworkCounter({ name: 'refreshes', points: limit, windowMs }, windows);
  return (address, isRefresh = false) => {
    if (isRefresh && !refreshes.count(address).isOver) return null;
    const { remaining, isOver, msLeft } = counter.count(address);
    const reset = Math.ceil((clock.now().getTime() + msLeft) / SECOND);
    if (isOver) onOver();
    const retryAfter = isOver ? Math.max(1, Math.ceil(msLeft / SECOND)) : null;
    return { limit, remaining, resetAt: new Date(reset * SECOND), retryAfter };
  };
}

export function overLimit({ limit }: Budget): string {
  return `Too many requests: at most ${limit} an hour. Wait for the next window.`;
}

/** Sets the headers of the rate limit (contract 14). Errors: 429 for a client over its limit. */
export function rateLimit(count: CountRequest, sessions: Authenticator): RequestHandler {
  return (request, response, next) => {
    const { ip, requestId } = requestContextOf(response);
    const cookie = headerOf(request, 'cookie') && sessionCookieOf(request);
    if (cookie === undefined) {
      requireBudget(response, count(ip));
      next();
      return undefined;
    }
    return sessions
      .authenticate(cookie, { channel: 'interface', ip, requestId })
      .catch(nullIfUnauthenticated)
      .then((caller) => {
        const isRefresh = caller !== null && headerOf(request, 'x-refresh') !== undefined;
        requireBudget(response, count(clientKey(caller, ip), isRefresh));
        next();
      });
  };
}

function nullIfUnauthenticated(error: unknown): null {
  if (error instanceof DomainError && error.code === 'unauthenticated') return null;
  throw error;
}

function requireBudget(response: Response, budget: Budget | null): void {
  if (budget === null) return;
  requestContextOf(response).budget = budget;
  response.setHeader('X-Rate-Limit-Limit', budget.limit);
  response.setHeader('X-Rate-Limit-Remaining', budget.remaining);
  response.setHeader('X-Rate-Limit-Reset', budget.resetAt.getTime() / SECOND);
  if (budget.retryAfter !== null) throw rateLimited(overLimit(budget), budget.retryAfter);
}

/** Maximum pipelined requests per connection: sent while the response to an earlier one is incomplete. */
export const MAX_AHEAD = 250;
/** Maximum requests of terminals, of all companies, whose tokens have not been verified. */
const MAX_ENTERING = 2_000;

interface Connection {
  /** Requests without a whole response. */
  open: number;
  answered: Promise<void>;
  /** True if the latest request exceeds `MAX_AHEAD`: its response closes the connection. */
  isRefused: boolean;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Handles the pipelined requests of one connection in order, one at a time. Never calls `next` if the connection ends, or
 * after a refused request. Errors: 429 if more than `MAX_AHEAD` wait.
 */
export const handleInOrder: RequestHandler = async ({ socket }, response, next) => {
  const connection = connections.get(socket) ?? { open: 0, answered: Promise.resolve(), isRefused: false };
  connections.set(socket, connection);
  // Stops reading: requests after the refused one are not answered.
  if (connection.isRefused) {
    socket.pause();
    return;
  }
  connection.isRefused = connection.open > MAX_AHEAD;
  const { answered, isRefused } = connection;
  connection.open += 1;
  connection.answered = new Promise((resolve) => onClosed(response, resolve));
  onClosed(response, () => (connection.open -= 1));
  if (connection.open > 1) await answered;
  if (socket.destroyed) return;
  if (isRefused) throw tooManyAhead();
  await gather();
  // The client may have left while the request waited.
  if (!response.closed) next();
};

/** Limits of terminals whose tokens have not been verified. `clock` spreads the retries of those that are refused. */
export const limitTerminals = (clock: Pick<Clock, 'elapsed'>): readonly RequestHandler[] => [
  limitNewTerminals(clock),
  limitTerminalRequests,
];

/** Limits the requests of terminals whose tokens have not been verified. Errors: `busy` if there are `max`. */
export function limitNewTerminals(clock: Pick<Clock, 'elapsed'>, max = MAX_ENTERING): RequestHandler {
  const retryAfter = spreadRetries(clock);
  return (_request, response, next) => {
    takeSlot(response, { kind: 'terminals_entering', of: 'all', max }, () =>
      busy('Too many terminals send requests; try again later.', retryAfter()),
    );
    next();
  };
}

function tooManyAhead(): HttpProblem {
  const message = `Too many requests on one connection: at most ${MAX_AHEAD} may wait for an earlier response.`;
  return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': '1', Connection: 'close' });
}

/** Refused terminals that may retry per second, and their delays: 10,000 have retried within 90 seconds. */
const RETRIES = { perSecond: 150, leastSeconds: 5, mostSeconds: 90 };

/**
 * Returns a function for the Retry-After of the next refused client, in whole seconds. Retries are spread: with one
 * delay for all, clients would retry together and be refused again.
 */
export function spreadRetries(
  clock: Pick<Clock, 'elapsed'>,
  { perSecond, leastSeconds, mostSeconds } = RETRIES,
): () => number {
  let next = -Infinity;
  return () => {
    const now = clock.elapsed();
    const first = now + leastSeconds * SECOND;
    next = next > now + mostSeconds * SECOND ? first : Math.max(first, next);
    const seconds = Math.ceil((next - now) / SECOND);
    next += SECOND / perSecond;
    return Math.min(seconds, mostSeconds);
  };
}
