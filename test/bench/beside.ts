/** Measures work beside others, who send requests. */
import { setTimeout as sleep } from 'node:timers/promises';

const OTHERS = 4;
export const PAUSE_MS = 50;

/** Milliseconds below which this share of times is. */
export const at = (times: readonly number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1);

/** Milliseconds that a request takes. */
export async function timed(request: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await request();
  return performance.now() - begin;
}

/** Does work beside others, who send a request each, pause, and so on; resolves with the times of theirs. */
export async function beside<T>(work: () => Promise<T>, request: () => Promise<unknown>) {
  let isOver = false;
  const others = Array.from({ length: OTHERS }, async () => {
    const times: number[] = [];
    while (!isOver) {
      times.push(await timed(request));
      await sleep(PAUSE_MS);
    }
    return times;
  });
  const begin = performance.now();
  const result = await work().finally(() => (isOver = true));
  const seconds = (performance.now() - begin) / 1_000;
  return { result, seconds: seconds.toFixed(1), times: (await Promise.all(others)).flat() };
}

/** Number of the requests of others, and the time of 95 % and of all. */
export const ofOthers = (times: readonly number[]): string[] => [
  `${times.length}`,
  at(times, 0.95),
  at(times, 1),
];
