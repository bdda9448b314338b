import { yieldToEventLoop } from '../../src/platform/concurrency/event-loop.js';

/** Number of turns of the event loop until `use` resolves: at least as many as the times that `use` yields. */
export async function turnsOf<T>(use: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, isOver] = [0, false];
  const other = (async () => {
    for (; !isOver; turns += 1) await yieldToEventLoop();
  })();
  const result = await use();
  isOver = true;
  await other;
  return { result, turns };
}
