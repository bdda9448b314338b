import { describe, expect, it } from 'vitest';

import { DispatchRate } from '../../../src/platform/concurrency/dispatch-rate.js';

/** A clock whose time the test sets. */
function stoppedClock(): { now(): Date; elapsed(): number; at: number } {
  const clock = { at: 0, now: () => new Date(clock.at), elapsed: () => clock.at };
  return clock;
}

describe('a pace', () => {
  it('grants what a twentieth of a second allows at once, and the rest as time passes', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(100, clock);
    expect(await pace.take('a', 10)).toBe(5);
    const waiting = pace.take('a', 10);
    clock.at += 30;
    expect(await waiting).toBe(3);
    clock.at += 60_000;
    expect(await pace.take('a', 10)).toBe(5);
  });

  it('lets fewer out at once while its timers are late, down to one, with other work in between', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(1_000, clock);
    let out = 0;
    for (let n = 0; n < 200; n += 1) void pace.take('fleet', 1).then(() => (out += 1));
    /** How many go out at each timer, if that is so many milliseconds after the one before. */
    const atTimers = async (times: number, ms: number): Promise<number[]> => {
      const counts: number[] = [];
      for (let n = 0; n < times; n += 1) {
        const before = out;
        clock.at += ms;
        // All who are let out by a timer go on before anything else does.
        while (out === before) await new Promise(setImmediate);
        counts.push(out - before);
      }
      return counts;
    };
    await Promise.resolve();
    expect(out, 'at once').toBe(50);
    expect(await atTimers(8, 300)).toEqual([25, 12, 6, 3, 1, 1, 1, 1]);
    expect(await atTimers(7, 25)).toEqual([1, 2, 3, 5, 7, 11, 17]);
  });

  it('gives owners that wait turns, and each of them in its order', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(20, clock);
    await pace.take('a', 1);
    const order: string[] = [];
    const takes = ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'].map(async (name) => {
      const granted = await pace.take(name[0], 1);
      order.push(name);
      clock.at += 50;
      return granted;
    });
    clock.at += 50;
    expect(await Promise.all(takes)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  });

  it('grants nothing to what has left, and goes on with the others', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(20, clock);
    await pace.take('a', 1);
    const [leaving, left] = [new AbortController(), AbortSignal.abort()];
    const takes = [pace.take('a', 1, leaving.signal), pace.take('b', 1), pace.take('c', 1, left)];
    leaving.abort();
    clock.at += 50;
    expect(await Promise.all(takes)).toEqual([0, 1, 0]);
  });
});
