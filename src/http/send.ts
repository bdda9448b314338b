import type { Request, Response } from 'express';

import { hasBody } from './body/body.js';
import { holdBytes, sendText } from './pieces.js';
import type { ProblemResponse } from './problem.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

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
  if (!isHeld(response, text.length)) {
    response.destroy();
    return;
  }
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

/**
 * Ends a response that was begun. If part of the request's body is unread, reads and drops it as `sendProblem` does, and
 * closes the connection.
 */
export function endResponse(request: Request, response: Response): void {
  if (response.destroyed) return;
  if (request.complete) response.end();
  else discard(request, () => response.end(() => request.socket.destroy()));
}

/** False where even an error is too much: its client reads nothing at all. */
function isHeld(response: Response, bytes: number): boolean {
  try {
    holdBytes(response, bytes);
    return true;
  } catch {
    return false;
  }
}

export async function sendJson(response: Response, body: object): Promise<void> {
  response.setHeader('Content-Type', JSON_TYPE);
  await sendText(response, JSON.stringify(body));
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

/** Resolves when the response is closed: true if it was sent completely, false if the client left. */
export async function isTaken(response: Response): Promise<boolean> {
  if (!response.writableFinished && !response.closed) {
    await new Promise<void>((resolve) => {
      response.once('finish', resolve).once('close', resolve);
    });
  }
  return response.writableFinished;
}
