import type { Request, Response } from 'express';
import { promises as streams } from 'node:stream';

import type { WriteWork } from '../database/work.js';
import type { HeldBytes } from '../platform/client-limits.js';
import { isTurnOver, yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { IdempotencyKey, StoredResponse } from '../platform/requests.js';
import { hasBody } from './body/body.js';
import type { ProblemResponse } from './problem.js';
import { onClosed, requestContextOf } from './request.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of a stream of server-sent events. */
export const EVENTS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store',
  // Turns off buffering in nginx, which would hold events back.
  'X-Accel-Buffering': 'no',
};
/** An event that clients ignore. Some browsers report a stream as open only after its first bytes. */
export const EVENTS_COMMENT = ':\n\n';

/** Maximum bytes passed to a connection at a time. The next ones follow when the client has read these. */
export const PIECE_BYTES = 64 * 1024;

/** The bytes of a text, in buffers of about `PIECE_BYTES`, so that each can be dropped when it is sent. */
export function bufferPieces(text: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const isPair = /[\uD800-\uDBFF]/.test(text.charAt(start + PIECE_BYTES - 1));
    const end = start + PIECE_BYTES - (isPair ? 1 : 0);
    pieces.push(Buffer.from(text.slice(start, end)));
    start = end;
  }
  return pieces;
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

/** Ends a response that was begun. An unread body is discarded as by `sendProblem`, and the connection closed. */
export function endResponse(request: Request, response: Response): void {
  if (response.destroyed) return;
  if (request.complete) response.end();
  else discard(request, () => response.end(() => request.socket.destroy()));
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

/** Leads a browser to another path of this server, for example `/console/`. */
export function sendRedirect(response: Response, path: string): void {
  response.status(302).setHeader('Location', path);
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
  await streams.finished(response).catch(() => undefined);
  return response.writableFinished;
}

/** Responses kept for 24 hours, written in the transaction of their effect. */
export interface StoredResponses {
  /** Errors: `idempotency_mismatch` when the key was used for another request. */
  find(work: WriteWork, key: IdempotencyKey): Promise<StoredResponse | undefined>;
  store(work: WriteWork, key: IdempotencyKey, response: StoredResponse): Promise<void>;
}

/** Memory, in bytes, for a response read from the database while it is sent: a chunk and its base64 text. */
export const STREAM_BYTES = 1024 * 1024;
/** Bytes whose base64 text fills one piece. */
const BASE64_BYTES = (PIECE_BYTES / 4) * 3;
/** Unread bytes up to which further pieces are written without waiting, if they are counted in memory anyway. */
const AHEAD_BYTES = 512 * 1024;

/** Counts bytes of a response until it is closed. Errors: those of `HeldBytes.add`. */
export function holdBytes(response: Response, bytes = 0, isChange = false): HeldBytes {
  const { limits, caller } = requestContextOf(response);
  const held = limits.waiting.hold(caller?.companyId ?? null, bytes, isChange);
  onClosed(response, () => held.release());
  return held;
}

/** Texts of more characters are made into bytes at once: V8 counts their bytes as slowly as it makes them. */
const LONG_TEXT = PIECE_BYTES / 4;

/**
 * Sends a text as the whole body. Errors: those of `holdBytes`. Responses to changes are ended at once: changes are
 * committed together, so the next ones of these clients arrive meanwhile.
 */
export async function sendText(response: Response, text: string, isChange = false): Promise<void> {
  const isHead = response.req.method === 'HEAD';
  const pieces = text.length > LONG_TEXT && !isHead ? bufferPieces(text) : null;
  const bytes = pieces?.reduce((sum, { length }) => sum + length, 0) ?? Buffer.byteLength(text);
  const held = holdBytes(response, bytes, isChange);
  response.setHeader('Content-Length', bytes);
  // Without await: a function that waits would keep the text in memory beside its pieces.
  if (pieces !== null) return sendInPieces(response, removed(pieces), held);
  // A text of ASCII has the same bytes in both, and Node writes it faster as the first.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  if (isChange) response.end(text, encoding);
  else endAfterTurn(response, text, encoding);
}

/** Ends of the responses of this turn. One immediate calls all: between two, Node would begin other work. */
const endsOfTurn: (() => void)[] = [];

/**
 * Ends a response after this turn of the event loop, so that the responses of one turn are written together: a write
 * wakes its client, and one that already reads need not be woken again. At once if the turn has lasted long.
 */
export function endAfterTurn(response: Response, body: string, encoding: BufferEncoding): void {
  const end = (): void => {
    if (!response.destroyed && !response.writableEnded) response.end(body, encoding);
  };
  if (isTurnOver()) end();
  else if (endsOfTurn.push(end) === 1) setImmediate(() => endsOfTurn.splice(0).forEach((each) => each()));
}

/** Sends bytes that stay in memory anyway, such as a page. Counts only one piece, the part being sent. */
export async function sendShared(response: Response, bytes: Buffer): Promise<void> {
  holdBytes(response, Math.min(bytes.length, PIECE_BYTES));
  response.setHeader('Content-Length', bytes.length);
  if (bytes.length <= PIECE_BYTES || response.req.method === 'HEAD') response.end(bytes);
  else await sendInPieces(response, [bytes]);
}

/** The buffers, each removed from the list, so that it can be dropped when it is sent. */
export function* removed(buffers: Buffer[]): Generator<Buffer> {
  for (let buffer = buffers.shift(); buffer !== undefined; buffer = buffers.shift()) yield buffer;
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Sends texts or bytes as they are made, each when the client has taken the ones before. `held` counts them: each until
 * it is taken.
 */
export async function sendInPieces(response: Response, pieces: Pieces, held?: HeldBytes): Promise<void> {
  await writeInPieces(response, pieces, held);
  if (!response.destroyed) response.end();
}

/** `pieces`, the first of which is made now: its errors come before a response begins. */
export async function begun<T>(pieces: AsyncGenerator<T, undefined>): Promise<AsyncGenerator<T, undefined>> {
  const first = await pieces.next();
  async function* all(): AsyncGenerator<T, undefined> {
    if (first.done === true) return;
    try {
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  }
  return all();
}

/** Like `sendInPieces`; the response goes on. Nothing is made for a client that is gone. */
export async function writeInPieces(response: Response, pieces: Pieces, held?: HeldBytes): Promise<void> {
  for await (const piece of pieces) {
    for (const part of partsOf(piece)) {
      await writePiece(response, part, held);
      if (response.destroyed) return;
    }
  }
}

function partsOf(piece: string | Uint8Array): readonly (string | Buffer)[] {
  if (typeof piece === 'string') return piece.length <= PIECE_BYTES ? [piece] : bufferPieces(piece);
  const bytes = viewOf(piece);
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: count }, (_none, n) => bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES));
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
