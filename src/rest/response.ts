import type { Request, Response } from 'express';
import { randomBytes } from 'node:crypto';

import { isUnchanged } from '../http/conditional.js';
import {
  base64Pieces,
  holdBytes,
  holdChanged,
  sendInPieces,
  sendText,
  STREAM_BYTES,
} from '../http/pieces.js';
import { JSON_TYPE } from '../http/send.js';
import type { HeldBytes } from '../platform/limits/waiting-bytes.js';
import type { RouteResponse } from './route.js';

/** Random for each process and never sent, so that no text of a client can contain it. */
const CONTENT_MARK = `content:${randomBytes(24).toString('hex')}:`;

/**
 * The base64 text of a stored content of `size` bytes, as a value of a response's field; one per response. The bytes
 * are read while the response is sent, so that a file of 32 MiB is never in memory as a whole.
 */
export function base64Of(contentId: number, size: number): string {
  return `${CONTENT_MARK}${contentId}/${size}`;
}

export interface ContentReference {
  readonly id: number;
  /** Bytes. */
  readonly size: number;
}

/** The JSON text of a response. */
export interface RenderedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  /** One text; or two, with the base64 of a content to be sent between them. */
  readonly parts: readonly string[];
  /** Null if there is one part. */
  readonly content: ContentReference | null;
  /** What the caller should check about the change. */
  readonly warnings?: readonly string[];
  /** Stored by an earlier request with the same Idempotency-Key. */
  readonly replayed?: true;
}

export function renderResponse({ status, etag, body }: RouteResponse): RenderedResponse {
  const text = JSON.stringify(body);
  const mark = text.indexOf(CONTENT_MARK);
  if (mark === -1) return { status, etag, parts: [text], content: null };
  const end = text.indexOf('"', mark);
  const [id = 0, size = 0] = text
    .slice(mark + CONTENT_MARK.length, end)
    .split('/')
    .map(Number);
  return { status, etag, parts: [text.slice(0, mark), text.slice(end)], content: { id, size } };
}

interface SendOptions {
  readonly readContent: (contentId: number) => AsyncIterable<Uint8Array>;
  /** Counts the response to a change; null for other responses. */
  readonly changed: HeldBytes | null;
}

/**
 * Sends the response to a request; to HEAD with the same headers and no body, and 304 if If-None-Match has the ETag.
 * Each chunk of the content is read when the client has taken the one before.
 */
export async function sendResponse(
  request: Request,
  response: Response,
  rendered: RenderedResponse,
  { readContent, changed }: SendOptions,
): Promise<void> {
  const { status, etag, parts, content, warnings = [], replayed } = rendered;
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (isUnchanged(request, etag)) {
    response.status(304).end();
    return;
  }
  response.status(status).setHeader('Content-Type', JSON_TYPE);
  if (warnings.length > 0) response.setHeader('X-Warning', warnings.join('; '));
  if (replayed === true) response.setHeader('Idempotent-Replayed', 'true');
  const [head = '', tail = ''] = parts;
  if (content === null) {
    await sendText(response, head, changed ?? undefined);
    return;
  }
  response.setHeader('Content-Length', bytesOf(parts, content));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  if (changed === null) holdBytes(response, STREAM_BYTES);
  else if (!holdChanged(response, changed, STREAM_BYTES)) return;
  await sendInPieces(response, withContent(head, readContent(content.id), tail));
}

function bytesOf(parts: readonly string[], { size }: ContentReference): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) + 4 * Math.ceil(size / 3);
}

async function* withContent(
  head: string,
  content: AsyncIterable<Uint8Array>,
  tail: string,
): AsyncGenerator<string> {
  yield head;
  for await (const bytes of content) yield* base64Pieces(bytes);
  yield tail;
}
