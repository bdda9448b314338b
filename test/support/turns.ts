/** The turns that the event loop makes until `use` resolves. Nothing else happens in this process meanwhile. */
export async function turnsOf<T>(use: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await use();
  isOver = true;
  return { result, turns };
}
