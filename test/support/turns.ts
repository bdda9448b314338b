import { clientOwner, workFor, yieldToEventLoop } from '../../src/platform/concurrency/event-loop.js';

/** How often another client has its turn of the event loop until `use` resolves. Nothing else happens meanwhile. */
export async function turnsOf<T>(use: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, isOver] = [0, false];
  const other = workFor(clientOwner({}), async () => {
    for (; !isOver; turns += 1) await yieldToEventLoop();
  });
  const result = await use();
  isOver = true;
  await other;
  return { result, turns };
}
