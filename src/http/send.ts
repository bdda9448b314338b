import type { Request, Response } from 'express';
import { once } from 'node:events';

import { createEventLoopYield } from '../platform/concurrency/event-loop.js';
import { hasBody } from './body/body.js';
import type { ProblemResponse } from './problem.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Characters; before a longer piece the event loop serves other requests. */
const LONG_PIECE = 64 * 1024;

/** Sends a text in pieces. Produces each piece only when the client has taken the earlier ones (backpressure). */
export async function sendInPieces(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (piece.length > LONG_PIECE) await yieldToEventLoop();
    if (response.destroyed) return;
    if (!response.write(piece)) await waitForDrain(response);
  }
  response.end();
}

/** With a fast client `response.write` never reports backpressure, so the loop above would not yield by itself. */
const yieldToEventLoop = createEventLoopYield();

async function waitForDrain(response: Response): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([
      once(response, 'drain', { signal: stop.signal }),
      once(response, 'close', { signal: stop.signal }),
    ]);
  } finally {
    stop.abort();
  }
}

/**
 * Sends an error response. If part of the request's body is unread, discards it for up to 2 seconds and then
 * closes the connection: closing while bytes arrive would reset it, and the client could lose the response.
 */
export function sendProblem(
  request: Request,
  response: Response,
  problem: Pick<ProblemResponse, 'status' | 'headers'> & { readonly body: object },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = Buffer.from(JSON.stringify(problem.body));
  response.status(problem.status).set(problem.headers).setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', text.length);
  if (request.complete || !hasBody(request)) {
    response.end(text);
    return;
  }
  response.setHeader('Connection', 'close');
  response.write(text);
  discard(request, () => response.end());
}

/** The response to OPTIONS: 204 with the methods of the path in `Allow`. */
export function sendMethods(response: Response, methods: readonly string[]): void {
  response.status(204).setHeader('Allow', methods.join(', '));
  response.end();
}

const DISCARD_MS = 2_000;
const DISCARD_BYTES = 64 * 1024 * 1024;

/** Reads and drops the rest of a body; calls `then` at its end, or after `DISCARD_MS` or `DISCARD_BYTES`. */
function discard(request: Request, then: () => void): void {
  let discarded = 0;
  const count = (bytes: Buffer): void => {
    discarded += bytes.length;
    if (discarded > DISCARD_BYTES) stop();
  };
  const stop = (): void => {
    clearTimeout(timer);
    request.off('data', count).off('end', stop).off('close', stop);
    then();
  };
  const timer = setTimeout(stop, DISCARD_MS);
  request.on('data', count).on('end', stop).on('close', stop).resume();
}
