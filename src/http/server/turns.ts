import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';

import type { Clock } from '../../platform/clock.js';
import {
  clientOwner,
  enterEventLoop,
  newTerminalOwner,
  workFor,
  type Owner,
} from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import { RetrySpread, TERMINAL_RETRIES } from '../../platform/limits/retry-spread.js';
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
  take({ owner: clientOwner(request.socket), enter: enterEventLoop }, request, response, next);

/**
 * Like `takeTurn`, for requests of terminals. Errors: `busy`, before any other work, if `most` requests wait.
 */
export function takeTerminalTurn(
  clock: Pick<Clock, 'elapsed'>,
  onRefused: () => void,
  most = MAX_ENTERING,
  enter: () => Promise<void> = enterEventLoop,
): RequestHandler {
  const spread = new RetrySpread(TERMINAL_RETRIES, clock);
  let entering = 0;
  return async (request, response, next) => {
    if (entering >= most) {
      onRefused();
      throw new DomainError('busy', 'Too many terminals send requests; try again later.', {
        retryAfter: spread.seconds(),
      });
    }
    entering += 1;
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) entering -= 1;
      isCounted = false;
    };
    onClosed(response, leave);
    await take({ owner: newTerminalOwner(request.socket), enter }, request, response, () => {
      leave();
      next();
    });
  };
}

interface Turn {
  readonly owner: Owner;
  /** Waits until the event loop has time for a new request. */
  readonly enter: () => Promise<void>;
}

async function take(
  { owner, enter }: Turn,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  const { socket } = request;
  const connection = connections.get(socket);
  if (connection === undefined) connections.set(socket, { waiting: [], isRefused: false });
  else await turnOf(connection, socket);
  onClosed(response, () => beginNext(socket));
  await workFor(owner, async () => {
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
