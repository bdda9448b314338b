import type { Response } from 'express';

import { isTurnOver, yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { bufferPieces, PIECE_BYTES } from '../platform/encoding/long-text.js';
import type { HeldBytes } from '../platform/limits/waiting-bytes.js';
import { endTogether } from './end-together.js';
import { onClosed, requestContextOf } from './request-context.js';

/** Memory, in bytes, for a response read from the database while it is sent: a chunk and its base64 text. */
export const STREAM_BYTES = 1024 * 1024;
/** Bytes whose base64 text fills one piece. */
const BASE64_BYTES = (PIECE_BYTES / 4) * 3;
/**
 * Unread bytes up to which more pieces are written to a connection without waiting for its client. Only for
 * responses that are in memory and counted anyway.
 */
const AHEAD_BYTES = 512 * 1024;

/** Counts bytes of a response until it is closed. Errors: `busy`, `malformed` (see `HeldBytes`). */
export function holdBytes(response: Response, bytes = 0): HeldBytes {
  const { limits, caller } = requestContextOf(response);
  const held = limits.waiting.hold(caller?.companyId ?? null, bytes);
  onClosed(response, () => held.release());
  return held;
}

/**
 * Sets `held`, created before a change, to the size of its response. Returns false if the limit is exceeded:
 * the connection is cut, since an error would say that nothing was changed.
 */
export function holdChanged(response: Response, held: HeldBytes, bytes: number): boolean {
  try {
    held.resize(bytes);
    return true;
  } catch {
    response.destroy();
    return false;
  }
}

/**
 * Sends a text as the whole body, a long one in pieces. Errors: those of `holdBytes`, before anything is sent. The
 * response to a change has its `held` (see `holdChanged`), and is not kept for others: changes are committed together, so
 * the next ones of these clients arrive while the last responses are written.
 */
export async function sendText(
  response: Response,
  text: string,
  counted?: HeldBytes,
  isChange = counted !== undefined,
): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (counted !== undefined && !holdChanged(response, counted, bytes)) return;
  const held = counted ?? holdBytes(response, bytes);
  response.setHeader('Content-Length', bytes);
  // A text of ASCII has the same bytes in both, and Node writes it faster as the first.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  if (bytes > PIECE_BYTES && response.req.method !== 'HEAD') {
    // Without await: a function that waits would keep the text in memory beside its pieces.
    return sendBuffers(response, bufferPieces(text), held);
  }
  if (isChange) response.end(text, encoding);
  else endTogether(response, text, encoding);
}

/** Sends bytes that stay in memory anyway, such as a page. Counts only one piece, the part being sent. */
export async function sendShared(response: Response, bytes: Buffer): Promise<void> {
  holdBytes(response, Math.min(bytes.length, PIECE_BYTES));
  response.setHeader('Content-Length', bytes.length);
  if (bytes.length <= PIECE_BYTES || response.req.method === 'HEAD') response.end(bytes);
  else await sendBuffers(response, [bytes]);
}

/** Writes the rest of a body. Drops each buffer once the client has taken it, and then counts it no longer in `held`. */
export async function sendBuffers(response: Response, buffers: Buffer[], held?: HeldBytes): Promise<void> {
  await writeBuffers(response, buffers, held);
  response.end();
}

/** Like `sendBuffers`; the response goes on. */
export async function writeBuffers(response: Response, buffers: Buffer[], held?: HeldBytes): Promise<void> {
  for (let buffer = buffers.shift(); buffer !== undefined; buffer = buffers.shift()) {
    for (let start = 0; start < buffer.length; start += PIECE_BYTES) {
      const piece = buffer.subarray(start, start + PIECE_BYTES);
      await writePiece(response, piece, held);
      if (response.destroyed) return;
    }
  }
}

/** Sends texts or bytes as they are made, each when the client has taken the ones before. */
export async function sendInPieces(
  response: Response,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await writeInPieces(response, pieces);
  if (!response.destroyed) response.end();
}

/** Like `sendInPieces`; the response goes on. Nothing is made for a client that is gone. */
export async function writeInPieces(
  response: Response,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (typeof piece !== 'string') await writeBuffers(response, [viewOf(piece)]);
    else if (piece.length <= PIECE_BYTES) await writePiece(response, piece);
    else await writeBuffers(response, bufferPieces(piece));
    if (response.destroyed) return;
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The base64 text of bytes in pieces. Only the last bytes of a content may have a length that is no multiple of 3. */
export function* base64Pieces(bytes: Uint8Array): Generator<string> {
  const buffer = viewOf(bytes);
  for (let start = 0; start < buffer.length; start += BASE64_BYTES) {
    yield buffer.toString('base64', start, start + BASE64_BYTES);
  }
}

/** `held` if it counts the piece. */
async function writePiece(response: Response, piece: string | Buffer, held?: HeldBytes): Promise<void> {
  if (response.destroyed) return;
  const isTaken = response.write(piece, () => held?.taken(piece.length));
  const isAhead = held !== undefined && response.writableLength <= AHEAD_BYTES;
  if (!isTaken && !isAhead) await drained(response);
  // A fast client takes each piece at once: without this, no other request would be served until the last one.
  if (isTurnOver()) await yieldToEventLoop();
}

/** Resolves when the client has taken what was written, or is gone. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    if (response.destroyed) resolve();
    else response.on('drain', done).on('close', done);
  });
}
