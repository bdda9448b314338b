import { setImmediate } from 'node:timers/promises';

/**
 * Makes a function to await between the parts of long work. All callers share one queue: one of them continues per
 * turn of the event loop, first come, first served, so that requests are handled between two parts.
 */
export function createEventLoopYield(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const turn = last.then(() => setImmediate());
    last = turn;
    await turn;
  };
}
