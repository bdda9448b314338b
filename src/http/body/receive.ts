import type { IncomingMessage } from 'node:http';

import { SECOND } from '../../platform/clock.js';
import { enterEventLoop, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { headerOf } from '../headers.js';
import { HttpProblem } from '../problem.js';
import { malformed } from '../query.js';

/** Bodies may arrive as slowly as this, on average; a modem of 2G sends two to four times as much. */
const LEAST_BYTES_PER_SECOND = 1024;
/** Parts of the time over which the rate of a body is taken. */
const PARTS = 30;
/** Bytes that are handled in one turn of the event loop; Node would handle 2 MiB of a fast client. */
export const TURN_BYTES = 64 * 1024;

/** How a body is received. */
export interface BodyRate {
  /** Milliseconds over which the rate is taken at which a body arrives. */
  readonly windowMs: number;
}

export interface Receiving {
  readonly rate: BodyRate;
  /** Bytes of the whole body; more are refused with `tooLarge`. */
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
}

/** Handles a piece of a body; undefined if that takes no time. */
type Take = (piece: Buffer) => Promise<unknown> | undefined;

/**
 * Gives the pieces of a body to `take` as they arrive. While `take` is pending, the connection keeps the client
 * waiting. Leaves the request open, so that a response can be sent. Errors: 408 for less than 1 KiB a second,
 * 400 for a body that ends early, `tooLarge`, those of `take`, and the reason of `stop`.
 */
export async function receiveBody(
  request: IncomingMessage,
  { rate, maxBytes, tooLarge }: Receiving,
  take: Take,
  stop?: AbortSignal,
): Promise<void> {
  stop?.throwIfAborted();
  if (request.readableEnded) return;
  if (request.destroyed) throw incompleteBody();
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw tooLarge();
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  let [received, isOpen] = [0, true];
  /** Resolves when `take` has handled the latest piece. */
  let handled: Promise<unknown> | undefined;
  const takeInTurn = inTurns(take);
  const handle = (piece: Buffer): void => {
    received += piece.length;
    if (received > maxBytes) {
      reject(tooLarge());
      return;
    }
    handled = takeInTurn(piece);
    if (handled === undefined) return;
    request.pause();
    handled.then(() => (isOpen ? request.resume() : undefined), reject);
  };
  // Node may emit `end` though the request is paused.
  const end = (): void => void Promise.resolve(handled).then(() => resolve(undefined), reject);
  const close = (): void => (request.readableEnded ? undefined : reject(incompleteBody()));
  const abort = (): void => reject(stop?.reason as Error);
  const unwatch = watchRate(request, rate, reject);
  stop?.addEventListener('abort', abort);
  request.on('data', handle).on('end', end).on('error', close).on('close', close);
  try {
    await promise;
  } finally {
    isOpen = false;
    unwatch();
    stop?.removeEventListener('abort', abort);
    request.off('data', handle).off('end', end).off('error', close).off('close', close);
  }
}

/** Like `take`, but yields to the event loop after each `TURN_BYTES`, so that other requests are served. */
function inTurns(take: Take): Take {
  let handled = 0;
  return (piece) => {
    handled += piece.length;
    const taking = take(piece);
    if (handled < TURN_BYTES) return taking;
    handled = 0;
    return Promise.all([taking, yieldToEventLoop()]);
  };
}

/**
 * The bytes of a body of any length as they arrive. The next ones are received when those before are handled.
 * Errors: those of `receiveBody`.
 */
export async function* bodyPieces(
  request: IncomingMessage,
  rate: BodyRate,
  stop?: AbortSignal,
): AsyncGenerator<Buffer, undefined> {
  const ended = new AbortController();
  const abort = (): void => ended.abort(stop?.reason);
  stop?.addEventListener('abort', abort);
  if (stop?.aborted === true) abort();
  let arriving = Promise.withResolvers<Buffer | null>();
  let handling = Promise.withResolvers<undefined>();
  const take = async (piece: Buffer): Promise<void> => {
    const arrived = arriving;
    arriving = Promise.withResolvers();
    // An error is reported to the caller that asks for the next piece, if there is one.
    arriving.promise.catch(() => undefined);
    handling = Promise.withResolvers();
    arrived.resolve(piece);
    await handling.promise;
  };
  const limits = { rate, maxBytes: Infinity, tooLarge: incompleteBody };
  receiveBody(request, limits, take, ended.signal).then(
    () => arriving.resolve(null),
    (error: unknown) => arriving.reject(error),
  );
  try {
    for (;;) {
      const piece = await arriving.promise;
      if (piece === null) return;
      await enterEventLoop();
      yield piece;
      handling.resolve(undefined);
    }
  } finally {
    stop?.removeEventListener('abort', abort);
    ended.abort('ended');
  }
}

/**
 * Calls `fail` with 408 if less than 1 KiB a second has arrived in `windowMs`. Time in which the server does not
 * read, or the event loop is blocked, does not count. Returns the function that ends the watch.
 */
function watchRate(
  request: IncomingMessage,
  { windowMs }: BodyRate,
  fail: (problem: HttpProblem) => void,
): () => void {
  let [parts, bytes] = [0, 0];
  const count = ({ length }: Buffer): void => void (bytes += length);
  const timer = setInterval(() => {
    if (request.isPaused() || request.complete) return;
    parts += 1;
    if (parts < PARTS) return;
    if (bytes < (LEAST_BYTES_PER_SECOND * windowMs) / SECOND) fail(tooSlow(windowMs));
    [parts, bytes] = [0, 0];
  }, windowMs / PARTS);
  request.on('data', count);
  return () => {
    clearInterval(timer);
    request.off('data', count);
  };
}

function tooSlow(windowMs: number): HttpProblem {
  const message = `The body arrived at less than ${LEAST_BYTES_PER_SECOND} bytes per second for ${windowMs / SECOND} seconds.`;
  return new HttpProblem(408, 'too_slow', message);
}

function incompleteBody(): HttpProblem {
  return malformed('The connection closed before the whole body arrived.');
}
