import type { IncomingMessage } from 'node:http';

import { SECOND, type Clock } from '../../platform/clock.js';
import { HttpProblem } from '../problem.js';

/** Bodies may arrive as slowly as this, on average over every window; a modem of 2G sends two to four times as much. */
const LEAST_BYTES_PER_SECOND = 1024;
/** The window moves by such a part of it. */
const PARTS = 30;

/** How bodies are measured while they arrive. */
export interface BodyRate {
  readonly clock: Clock;
  /** Milliseconds over which the rate is taken. */
  readonly windowMs: number;
}

/**
 * Calls `fail` with 408 as soon as a body has arrived at less than 1 KiB a second for `windowMs`, at its beginning or
 * later. Time in which the server does not read does not count. Returns the function that ends the watch.
 */
export function watchRate(
  request: IncomingMessage,
  { clock, windowMs }: BodyRate,
  fail: (problem: HttpProblem) => void,
): () => void {
  const window = new Window((LEAST_BYTES_PER_SECOND * windowMs) / SECOND);
  const partMs = windowMs / PARTS;
  let since = clock.elapsed();
  let awaited = 0;
  const pass = (): void => {
    const now = clock.elapsed();
    // An event loop that was blocked did not read either.
    if (!request.isPaused()) awaited += Math.min(now - since, 2 * partMs);
    since = now;
  };
  const pause = (): void => {
    awaited += Math.min(clock.elapsed() - since, 2 * partMs);
    since = clock.elapsed();
  };
  const resume = (): void => {
    since = clock.elapsed();
  };
  const count = ({ length }: Buffer): void => window.add(length);
  const timer = setInterval(() => {
    pass();
    while (awaited >= partMs && !request.complete) {
      awaited -= partMs;
      if (window.moves()) fail(tooSlow(windowMs));
    }
  }, partMs);
  request.on('data', count).on('pause', pause).on('resume', resume);
  return () => {
    clearInterval(timer);
    request.off('data', count).off('pause', pause).off('resume', resume);
  };
}

function tooSlow(windowMs: number): HttpProblem {
  return new HttpProblem(
    408,
    'too_slow',
    `The body arrived at less than ${LEAST_BYTES_PER_SECOND} bytes per second for ${windowMs / SECOND} seconds.`,
  );
}

/** The bytes of the latest parts of time. */
class Window {
  readonly #parts: number[] = [];
  #current = 0;

  constructor(private readonly leastBytes: number) {}

  add(bytes: number): void {
    this.#current += bytes;
  }

  /** A part of time is over: whether fewer bytes than the least have arrived in a whole window. */
  moves(): boolean {
    this.#parts.push(this.#current);
    this.#current = 0;
    if (this.#parts.length > PARTS) this.#parts.shift();
    return this.#parts.length === PARTS && this.#parts.reduce((sum, part) => sum + part) < this.leastBytes;
  }
}
