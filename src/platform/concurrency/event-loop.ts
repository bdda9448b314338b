import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';

/** Milliseconds of work in one turn of the event loop, after which long work waits for the next turn. */
const TURN_MS = 2;
/** When the current turn of the event loop began; null until something asks. */
let turnBegan: number | null = null;
/** Resolves at the end of the current turn of the event loop; null if nothing waits for that. */
let gathered: Promise<void> | null = null;

/** Waits for the next turn of the event loop. Long work calls it every few milliseconds, so that others are served. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      timeTurn();
      resolve();
    });
  });
}

/**
 * Waits until all requests that arrived together have been read, then lets them go on together: their reads share a
 * snapshot, their changes a commit, and their responses a write.
 */
export function gather(): Promise<void> {
  gathered ??= yieldToEventLoop().then(() => void (gathered = null));
  return gathered;
}

/** True if the current turn of the event loop has lasted `ms`: time to yield. */
export function isTurnOver(ms = TURN_MS): boolean {
  return systemClock.elapsed() - timeTurn() > ms;
}

/** When the current turn began: now, if nothing has asked during it. */
function timeTurn(): number {
  if (turnBegan === null) {
    turnBegan = systemClock.elapsed();
    setImmediate(() => (turnBegan = null));
  }
  return turnBegan;
}

/** Parts of a list, of at most `size`; the loop handles events between two. */
export async function* inParts<T>(list: readonly T[], size: number): AsyncGenerator<readonly T[], void> {
  for (let start = 0; start < list.length; start += size) {
    if (start > 0) await yieldToEventLoop();
    yield list.slice(start, start + size);
  }
}
