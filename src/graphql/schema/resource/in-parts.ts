import { createEventLoopYield } from '../../../platform/concurrency/event-loop.js';

/** Results of a batch that are rendered in one turn of the event loop: a payment with all its fields takes some 40 µs. */
const ROWS_PER_TURN = 100;
const yieldToEventLoop = createEventLoopYield();

/** The entries of a list as promises, so that graphql-js renders a part of them, then lets others run. */
export function inParts<T>(entries: readonly T[]): readonly (T | Promise<T>)[] {
  if (entries.length <= ROWS_PER_TURN) return entries;
  let turn = Promise.resolve();
  return entries.map((entry, index) => {
    if (index % ROWS_PER_TURN === 0) turn = turn.then(yieldToEventLoop);
    return turn.then(() => entry);
  });
}
