import type { Request, Response } from 'express';
import { randomBytes } from 'node:crypto';

import { isUnchanged } from '../http/headers.js';
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

/** Prefix of placeholders for contents. Random and never sent, so that no client text can contain it. */
const CONTENT_MARK = `content:${randomBytes(24).toString('hex')}:`;

/**
 * Stored content of `size` bytes as a base64 field of a response; at most one per response. Its bytes are
 * read while the response is sent, so that a file of 32 MiB is never whole in memory.
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
  /** JSON text in one part; or two parts, with the base64 of `content` to be sent between them. */
  readonly parts: readonly string[];
  /** Content to send between the parts; null if there is one part. */
  readonly content: ContentReference | null;
  /** Warnings about the change that the caller should check. */
  readonly warnings?: readonly string[];
  /** True if the response was stored by an earlier request with the same Idempotency-Key. */
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
  /** Counts the bytes of responses to changes; null for other responses. */
  readonly changed: HeldBytes | null;
}

/**
 * Sends the response. A HEAD request gets the same headers and no body; a request whose If-None-Match has the
 * ETag gets 304. Each chunk of the content is read after the client has received the previous one.
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
