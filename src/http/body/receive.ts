import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { HttpProblem } from '../problem.js';
import { watchRate, type BodyRate } from './least-rate.js';

export interface Receiving {
  readonly rate: BodyRate;
  /** Bytes of the whole body; more are refused with `tooLarge`. */
  readonly maxBytes: number;
  readonly tooLarge: () => HttpProblem;
  /** The error of a body that ends early, or, with the error of the sink, of one that it cannot read. */
  readonly unreadable: (error?: Error) => Error;
}

/** Bytes of an upload that are handled in one turn of the event loop; Node would handle 2 MiB of a fast client. */
export const TURN_BYTES = 64 * 1024;

/** Makes a function to await before each piece of one upload, so that other requests are served between them. */
export function createPacer(): (piece: Uint8Array) => Promise<void> {
  let handled = 0;
  return async ({ length }) => {
    handled += length;
    if (handled < TURN_BYTES) return;
    handled = 0;
    await yieldToEventLoop();
  };
}

/**
 * Pipes the body into the sink until either ends or `stop` is aborted; leaves the request open, so that a
 * response can be sent. Errors: the reason of `stop`, which is also aborted with 408 (too slow), 413, or
 * `unreadable`.
 */
export async function receiveInto(
  request: IncomingMessage,
  sink: Writable,
  { rate, maxBytes, tooLarge, unreadable }: Receiving,
  stop: AbortController,
): Promise<void> {
  let received = 0;
  const fail = (error?: Error): void => stop.abort(unreadable(error));
  const aborted = (): void => (request.complete ? undefined : fail());
  const count = (bytes: Buffer): void => {
    received += bytes.length;
    if (received > maxBytes) stop.abort(tooLarge());
  };
  const unwatch = watchRate(request, rate, (problem) => stop.abort(problem));
  try {
    await new Promise<void>((resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
      sink.on('error', fail).once('finish', resolve);
      request.on('data', count).on('error', aborted).on('close', aborted);
      request.pipe(sink);
    });
  } finally {
    unwatch();
    request.off('data', count).off('error', aborted).off('close', aborted);
    request.unpipe(sink);
    sink.destroy();
  }
}
