import { setImmediate } from 'node:timers/promises';

/**
 * One step for each turn of the event loop, whoever takes it: many at once would let nobody else through. What is
 * answered resolves when it is the caller's turn.
 */
export function createEventLoopYield(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const turn = last.then(() => setImmediate());
    last = turn;
    await turn;
  };
}
