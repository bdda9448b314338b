import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';

import {
  clientOwner,
  enterEventLoop,
  newTerminalOwner,
  workFor,
  type Owner,
} from '../../platform/concurrency/event-loop.js';
import type { Clock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { RetrySpread, TERMINAL_RETRIES } from '../../platform/limits/retry-spread.js';
import { HttpProblem } from '../problem.js';
import { onClosed } from '../request-context.js';

/** Requests that a client may send on a connection while it waits for the response to an earlier one. */
export const MAX_AHEAD = 250;
/** Requests of terminals that wait for their first turn, of all companies. */
const MAX_ENTERING = 2_000;

interface Connection {
  /** What begins the next requests, in order. */
  readonly waiting: (() => void)[];
  /** Whether the last of them is to be refused. */
  isRefused: boolean;
}

/** Those whose first request has no complete response yet. */
const connections = new WeakMap<Socket, Connection>();

/**
 * Handles the requests of one connection one after the other, in the order of their responses. Connections take turns:
 * many requests that arrive at once hold nothing up.
 */
export const takeTurn: RequestHandler = (request, response, next) =>
  take({ owner: clientOwner(request.socket), enter: enterEventLoop }, request, response, next);

/**
 * The same for requests of terminals. Refuses, before anything else is done for it, one that would wait behind too many
 * others: `busy`.
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
  /** Waits for the first turn. */
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
    // Its client may have left meanwhile.
    if (!response.closed) next();
  });
}

/**
 * Never resolves for a connection that has ended, nor after a refused request, whose response closes it. Errors: 429
 * for one too many, in its turn.
 */
async function turnOf(connection: Connection, socket: Socket): Promise<void> {
  const { waiting, isRefused: isClosing } = connection;
  const isTooMany = waiting.length >= MAX_AHEAD;
  connection.isRefused ||= isTooMany;
  // Nothing more is read than the packet in which this request came.
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
