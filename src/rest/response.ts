import type { Response } from 'express';
import { randomBytes } from 'node:crypto';

import { JSON_TYPE, sendInPieces } from '../http/send.js';
import type { RouteResponse } from './route.js';

/** Random for each process and never sent, so that no text of a client can contain it. */
const CONTENT_MARK = `content:${randomBytes(24).toString('hex')}:`;

/**
 * The base64 text of a stored content, as a value of a response's field; one per response. The bytes are read
 * while the response is sent, so that a file of 32 MiB is never in memory as a whole.
 */
export function base64Of(contentId: number): string {
  return CONTENT_MARK + String(contentId);
}

/** The JSON text of a response. */
export interface RenderedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  /** One text; or two, with the base64 of a content to be sent between them. */
  readonly parts: readonly string[];
  /** Null if there is one part. */
  readonly contentId: number | null;
  /** Stored by an earlier request with the same Idempotency-Key. */
  readonly replayed?: true;
}

export function renderResponse({ status, etag, body }: RouteResponse): RenderedResponse {
  const text = JSON.stringify(body);
  const mark = text.indexOf(CONTENT_MARK);
  if (mark === -1) return { status, etag, parts: [text], contentId: null };
  const idStart = mark + CONTENT_MARK.length;
  const idEnd = text.indexOf('"', idStart);
  return {
    status,
    etag,
    parts: [text.slice(0, mark), text.slice(idEnd)],
    contentId: Number(text.slice(idStart, idEnd)),
  };
}

/** `content` are the bytes of `contentId`; each chunk is read when the client has taken the one before. */
export async function sendResponse(
  response: Response,
  { status, etag, parts, replayed }: RenderedResponse,
  content: AsyncIterable<Uint8Array> | null,
): Promise<void> {
  response.status(status).setHeader('Content-Type', JSON_TYPE);
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (replayed === true) response.setHeader('Idempotent-Replayed', 'true');
  const [head = '', tail] = parts;
  if (tail === undefined) response.end(head);
  else await sendInPieces(response, withContent(head, content, tail));
}

async function* withContent(
  head: string,
  content: AsyncIterable<Uint8Array> | null,
  tail: string,
): AsyncGenerator<string> {
  yield head;
  for await (const bytes of content ?? []) yield Buffer.from(bytes).toString('base64');
  yield tail;
}
