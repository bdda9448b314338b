import type { RequestHandler } from 'express';
import type { Socket } from 'node:net';

import { clientOwner, enterEventLoop, workFor } from '../../platform/concurrency/event-loop.js';
import { HttpProblem } from '../problem.js';
import { onClosed } from '../request-context.js';

/** Requests that a client may send on a connection while it waits for the response to an earlier one. */
const MAX_AHEAD = 250;

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
export const takeTurn: RequestHandler = async (request, response, next) => {
  const { socket } = request;
  const connection = connections.get(socket);
  if (connection === undefined) connections.set(socket, { waiting: [], isRefused: false });
  else await turnOf(connection, socket);
  onClosed(response, () => beginNext(socket));
  await workFor(clientOwner(socket), async () => {
    await enterEventLoop();
    // Its client may have left meanwhile.
    if (!response.closed) next();
  });
};

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
