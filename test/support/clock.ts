import type { Clock } from '../../src/platform/clock.js';

export interface TestClock extends Clock {
  /** Lets time pass: moves `now` and `elapsed` forward. */
  advance(milliseconds: number): void;
  /** Stops the time: from now on only `advance` moves it. */
  stop(): void;
  /** Sets the wall clock, forward or back; `elapsed` does not change. */
  set(instant: Date): void;
}

/** A clock that follows the real time until it is stopped, and can be moved. */
export function testClock(): TestClock {
  let ahead = 0;
  let set = 0;
  let stopped: { readonly wall: number; readonly elapsed: number } | null = null;
  const now = (): Date => new Date((stopped?.wall ?? Date.now()) + ahead + set);
  return {
    now,
    elapsed: () => (stopped?.elapsed ?? performance.now()) + ahead,
    stop: () => {
      stopped ??= { wall: Date.now(), elapsed: performance.now() };
    },
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    set: (instant) => {
      set += instant.getTime() - now().getTime();
    },
  };
}
