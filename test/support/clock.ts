import type { Clock } from '../../src/platform/clock.js';

export interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

/** Goes with the real time, and can be put forward. */
export function testClock(): TestClock {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    elapsed: () => performance.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
