import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';

import { SECOND, type Clock } from '../../platform/clock.js';
import { enterEventLoop, workFor, type Owner } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import { HttpProblem } from '../problem.js';
import { onClosed } from '../request-context.js';

/** Maximum pipelined requests per connection: sent while the response to an earlier one is incomplete. */
export const MAX_AHEAD = 250;
/** Maximum requests of terminals, of all companies, that wait to be handled. */
const MAX_ENTERING = 2_000;

interface Connection {
  /** Functions that start the waiting requests, in the order of arrival. */
  readonly waiting: (() => void)[];
  /** Whether the last waiting request exceeds `MAX_AHEAD` and will be refused. */
  isRefused: boolean;
}

/** Connections with a request in progress. */
const connections = new WeakMap<Socket, Connection>();

/**
 * Handles pipelined requests of one connection one at a time, in order. Connections are served round-robin,
 * so that many requests at once do not delay other clients.
 */
export const takeTurn: RequestHandler = (request, response, next) =>
  take({ party: request.socket, enter: enterEventLoop }, request, response, next);

/**
 * Like `takeTurn`, for requests of terminals, which are one party until their tokens are known: otherwise each of
 * thousands that connect together would be served before companies that have already used time. Errors: `busy`,
 * before any other work, if `most` requests wait.
 */
export function takeTerminalTurn(
  clock: Pick<Clock, 'elapsed'>,
  onRefused: () => void,
  most = MAX_ENTERING,
  enter: () => Promise<void> = enterEventLoop,
): RequestHandler {
  const retryAfter = spreadRetries(clock);
  let entering = 0;
  return async (request, response, next) => {
    if (entering >= most) {
      onRefused();
      throw new DomainError('busy', 'Too many terminals send requests; try again later.', {
        retryAfter: retryAfter(),
      });
    }
    entering += 1;
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) entering -= 1;
      isCounted = false;
    };
    onClosed(response, leave);
    await take({ party: 'new terminals', enter }, request, response, () => {
      leave();
      next();
    });
  };
}

interface Turn {
  /** Party of the client before its token is known. */
  readonly party: Owner['party'];
  /** Waits until the event loop has time for a new request. */
  readonly enter: () => Promise<void>;
}

async function take(
  { party, enter }: Turn,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  const { socket } = request;
  const connection = connections.get(socket);
  if (connection === undefined) connections.set(socket, { waiting: [], isRefused: false });
  else await turnOf(connection, socket);
  onClosed(response, () => beginNext(socket));
  await workFor({ party, client: socket }, async () => {
    await enter();
    // The client may have left while the request waited.
    if (!response.closed) next();
  });
}

/**
 * Waits until the earlier requests of the connection are answered. Never resolves if the connection ends, or
 * after a refused request, whose response closes it. Errors: 429 if more than `MAX_AHEAD` wait.
 */
async function turnOf(connection: Connection, socket: Socket): Promise<void> {
  const { waiting, isRefused: isClosing } = connection;
  const isTooMany = waiting.length >= MAX_AHEAD;
  connection.isRefused ||= isTooMany;
  // Stops reading: requests after the refused one are not answered.
  if (isClosing) socket.pause();
  await new Promise<void>((resolve) => {
    if (!isClosing) waiting.push(resolve);
  });
  if (isTooMany) throw tooManyAhead();
}

function beginNext(socket: Socket): void {
  const next = socket.destroyed ? undefined : connections.get(socket)?.waiting.shift();
  if (next === undefined) connections.delete(socket);
  else next();
}

function tooManyAhead(): HttpProblem {
  const message = `Too many requests on one connection: at most ${MAX_AHEAD} may wait for an earlier response.`;
  return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': '1', Connection: 'close' });
}

/**
 * Refused terminals that may retry per second, and their shortest and longest delay in seconds: a fleet of 10,000 has
 * retried within 90 seconds.
 */
const RETRIES = { perSecond: 150, leastSeconds: 5, mostSeconds: 90 };

/**
 * Spreads the retries of clients that are refused while a server is busy: one after the other, however many are
 * refused at once. With one delay for all, they would retry together, be refused again, and keep the server busy with
 * refusals. Returns a function for the Retry-After of the next refused client, in whole seconds. If the longest delay
 * is exceeded, delays begin again at the shortest.
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
