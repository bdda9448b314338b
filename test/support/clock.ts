export type TestClock = ReturnType<typeof testClock>;

/** A clock that follows the real time until it is stopped, and can be moved. */
export function testClock() {
  let ahead = 0;
  let set = 0;
  let stopped: { readonly wall: number; readonly elapsed: number } | null = null;
  const now = (): Date => new Date((stopped?.wall ?? Date.now()) + ahead + set);
  return {
    now,
    elapsed: () => (stopped?.elapsed ?? performance.now()) + ahead,
    /** Stops the time: from now on only `advance` moves it. */
    stop: () => {
      stopped ??= { wall: Date.now(), elapsed: performance.now() };
    },
    /** Lets time pass: moves `now` and `elapsed` forward. */
    advance: (milliseconds: number) => {
      ahead += milliseconds;
    },
    /** Sets the wall clock, forward or back; `elapsed` does not change. */
    set: (instant: Date) => {
      set += instant.getTime() - now().getTime();
    },
  };
}
