import type { Request, Response } from 'express';
import { once } from 'node:events';

import { CONTENT_PLACEHOLDER } from './content.js';
import type { ProblemAnswer } from './problem.js';
import type { Answer } from './route.js';

/** The text of an answer, in two halves where bytes go between them. */
export interface Rendered {
  readonly status: number;
  readonly etag: string | undefined;
  readonly parts: readonly string[];
  /** Whose bytes stand between the parts; null where there are none. */
  readonly contentId: number | null;
}

export function renderAnswer({ status, etag, body, contentId = null }: Answer): Rendered {
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
  response.write(head);
  for await (const bytes of content ?? []) {
    if (response.destroyed) return;
    if (!response.write(Buffer.from(bytes).toString('base64'))) await drained(response);
  }
  response.end(tail);
}

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

/** Sends a refusal; where a body is still coming that nobody will read, the connection ends with it. */
export function sendProblem(request: Request, response: Response, problem: ProblemAnswer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!request.complete && hasBody(request)) response.setHeader('Connection', 'close');
  response.status(problem.status).set(problem.headers).setHeader('Content-Type', JSON_TYPE);
  response.end(JSON.stringify(problem.body));
}

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
