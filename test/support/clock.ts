import type { Clock } from '../../src/platform/clock.js';

export interface TestClock extends Clock {
  /** Time goes by. */
  advance(milliseconds: number): void;
  /** Somebody sets the machine's clock, also back; no time goes by. */
  set(instant: Date): void;
}

/** Goes with the real time, and can be put forward. */
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
