import type { Request, Response } from 'express';
import { once } from 'node:events';

import { createEventLoopYield } from '../platform/concurrency/event-loop.js';
import { hasBody } from './body.js';
import { CONTENT_PLACEHOLDER } from '../rest/content-placeholder.js';
import type { ProblemResponse } from './problem.js';
import type { RouteResponse } from '../rest/route.js';

/** The text of an answer, in two halves where bytes go between them. */
export interface Rendered {
  readonly status: number;
  readonly etag: string | undefined;
  readonly parts: readonly string[];
  /** Whose bytes stand between the parts; null where there are none. */
  readonly contentId: number | null;
}

export function renderAnswer({ status, etag, body, contentId = null }: RouteResponse): Rendered {
  return { status, etag, contentId, parts: JSON.stringify(body).split(CONTENT_PLACEHOLDER) };
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends an answer; bytes are read piece by piece, as fast as the client takes them. */
export async function sendRendered(
  response: Response,
  rendered: Rendered,
  content: AsyncIterable<Uint8Array> | null,
): Promise<void> {
  response.status(rendered.status).setHeader('Content-Type', JSON_TYPE);
  if (rendered.etag !== undefined) response.setHeader('ETag', rendered.etag);
  const [head = '', tail] = rendered.parts;
  if (tail === undefined) {
    response.end(head);
    return;
  }
  await sendInPieces(response, filled(head, content, tail));
}

async function* filled(
  head: string,
  content: AsyncIterable<Uint8Array> | null,
  tail: string,
): AsyncGenerator<string> {
  yield head;
  for await (const bytes of content ?? []) yield Buffer.from(bytes).toString('base64');
  yield tail;
}

/** Longer pieces take their turn: making many of them one after the other would let nobody else through. */
const SHORT_PIECE = 64 * 1024;

/** Sends a text whose pieces are made one by one, as fast as the client takes them. */
export async function sendInPieces(response: Response, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (piece.length > SHORT_PIECE) await ownTurn();
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

/** A fast client takes piece after piece at once. */
const ownTurn = createEventLoopYield();

async function drained(response: Response): Promise<void> {
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
 * Sends a refusal; where a body is still coming that nobody will read, the connection ends with it. It ends a
 * little later: closing while bytes arrive would reset the connection, and the client might lose the answer.
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

const DISCARD_MS = 2_000;
const DISCARD_BYTES = 64 * 1024 * 1024;

/** Drops what still comes, for a while at most. */
function discard(request: Request, then: () => void): void {
  let seen = 0;
  const count = (bytes: Buffer): void => {
    seen += bytes.length;
    if (seen > DISCARD_BYTES) stop();
  };
  const stop = (): void => {
    clearTimeout(timer);
    request.off('data', count).off('end', stop).off('close', stop);
    then();
  };
  const timer = setTimeout(stop, DISCARD_MS);
  request.on('data', count).on('end', stop).on('close', stop).resume();
}
