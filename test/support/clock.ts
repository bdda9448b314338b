import type { Clock } from '../../src/platform/clock.js';

export interface TestClock extends Clock {
  /** Lets time pass: moves `now` and `elapsed` forward. */
  advance(milliseconds: number): void;
  /** Sets the wall clock, forward or back; `elapsed` does not change. */
  set(instant: Date): void;
}

/** A clock that follows the real time and can be moved. */
export function testClock(): TestClock {
  let ahead = 0;
  let set = 0;
  const now = (): Date => new Date(Date.now() + ahead + set);
  return {
    now,
    elapsed: () => performance.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    set: (instant) => {
      set += instant.getTime() - now().getTime();
    },
  };
}
