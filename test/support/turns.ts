import { currentOwner, workFor, yieldToEventLoop } from '../../src/platform/clock.js';

/**
 * How often other work of the same owner has its turn of the event loop until `use` resolves: as often as `use`
 * yields. Nothing else happens meanwhile.
 */
export async function turnsOf<T>(use: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, isOver] = [0, false];
  const other = workFor(currentOwner(), async () => {
    for (; !isOver; turns += 1) await yieldToEventLoop();
  });
  const result = await use();
  isOver = true;
  await other;
  return { result, turns };
}
