import { describe, expect, it } from 'vitest';

import { Pace } from '../../../src/platform/concurrency/pace.js';

/** A clock whose time the test sets. */
function stoppedClock(): { now(): Date; elapsed(): number; at: number } {
  const clock = { at: 0, now: () => new Date(clock.at), elapsed: () => clock.at };
  return clock;
}

describe('a pace', () => {
  it('grants what a twentieth of a second allows at once, and the rest as time passes', async () => {
    const clock = stoppedClock();
    const pace = new Pace(100, clock);
    expect(await pace.take('a', 10)).toBe(5);
    const waiting = pace.take('a', 10);
    clock.at += 30;
    expect(await waiting).toBe(3);
    clock.at += 60_000;
    expect(await pace.take('a', 10)).toBe(5);
  });

  it('grants less while there is less room', async () => {
    const clock = stoppedClock();
    const pace = new Pace(100, clock, () => 0.5);
    expect(await pace.take('a', 10)).toBe(5);
    const waiting = pace.take('a', 10);
    clock.at += 60;
    expect(await waiting).toBe(3);
  });

  it('gives owners that wait turns, and each of them in its order', async () => {
    const clock = stoppedClock();
    const pace = new Pace(20, clock);
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
    const pace = new Pace(20, clock);
    await pace.take('a', 1);
    const [leaving, left] = [new AbortController(), AbortSignal.abort()];
    const takes = [pace.take('a', 1, leaving.signal), pace.take('b', 1), pace.take('c', 1, left)];
    leaving.abort();
    clock.at += 50;
    expect(await Promise.all(takes)).toEqual([0, 1, 0]);
  });
});
