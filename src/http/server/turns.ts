import type { RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';

import { clientOwner, enterEventLoop, workFor } from '../../platform/concurrency/event-loop.js';
import { HttpProblem } from '../problem.js';

/** Requests that a client may send on a connection while it waits for the response to an earlier one. */
const MAX_AHEAD = 250;

/** What begins the next requests of a connection whose first one has no complete response yet. */
const ahead = new WeakMap<Socket, (() => void)[]>();

/**
 * Handles the requests of one connection one after the other, in the order of their responses. Connections take turns:
 * many requests that arrive at once hold nothing up.
 */
export const takeTurn: RequestHandler = async (request, response, next) => {
  const { socket } = request;
  await responsesBefore(socket, response);
  await workFor(clientOwner(socket), async () => {
    await enterEventLoop();
    next();
  });
};

/** Never resolves for a connection that has ended. */
async function responsesBefore(socket: Socket, response: Response): Promise<void> {
  const waiting = ahead.get(socket);
  if (waiting === undefined) ahead.set(socket, []);
  else if (waiting.length >= MAX_AHEAD) throw tooManyAhead();
  else await new Promise<void>((resolve) => waiting.push(resolve));
  response.once('close', () => beginNext(socket));
}

function beginNext(socket: Socket): void {
  const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
  if (next === undefined) ahead.delete(socket);
  else next();
}

function tooManyAhead(): HttpProblem {
  const message = `Too many requests on one connection: at most ${MAX_AHEAD} may wait for an earlier response.`;
  return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': '1', Connection: 'close' });
}
