import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

import { FairQueue, type Place, Queue, Semaphore } from '../../../src/platform/concurrency/semaphore.js';

describe('a queue', () => {
  it('is a list at whose end values are added, and which they leave anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (steps) => {
        const queue = new Queue<number>();
        const places: Place<number>[] = [];
        let next = 0;
        for (const step of steps) {
          if (step > 12) places.push(queue.add((next += 1)));
          else if (step > 10) expect(queue.take()).toBe(leave(0));
          else if (places[step] !== undefined) {
            const place = places[step];
            expect([queue.remove(place), queue.remove(place)]).toEqual([true, false]);
            leave(step);
          }
          const values = places.map(({ value }) => value);
          expect([...queue.places()].map(({ value }) => value)).toEqual(values);
          expect(queue.size).toBe(values.length);
        }
        function leave(index: number): number | undefined {
          return places.splice(index, 1)[0]?.value;
        }
      }),
    );
  });

  it('goes on where a value leaves while it is read', () => {
    const queue = new Queue<string>();
    for (const value of 'abc') queue.add(value);
    const seen: string[] = [];
    for (const place of queue.places()) {
      seen.push(place.value);
      queue.remove(place);
    }
    expect([seen, queue.size]).toEqual([['a', 'b', 'c'], 0]);
  });
});

describe('a fair queue', () => {
  it('gives keys turns, the values of each in order, and passes over keys that are not ready', () => {
    const queue = new FairQueue<string, string>();
    const removals = ['a1', 'a2', 'b1', 'a3', 'c1', 'c2'].map((value) => queue.add(value.charAt(0), value));
    expect([queue.size, queue.sizeOf('a'), queue.sizeOf('d')]).toEqual([6, 3, 0]);
    expect(queue.take((key) => key !== 'a')).toBe('b1');
    expect([removals[1]?.(), removals[1]?.(), removals[2]?.()]).toEqual([true, false, false]);
    const rest = Array.from({ length: 5 }, () => queue.take());
    expect(rest).toEqual(['a1', 'c1', 'a3', 'c2', undefined]);
    expect([queue.size, queue.sizeOf('a')]).toEqual([0, 0]);
  });
});

const busy = (): Error => new Error('busy');
const LIMITS = { places: 1, placesOfKey: 1, maxWaiting: 100, maxWaitingOfKey: 100, maxWaitMs: 10_000, busy };

/** Ways to wait. Each function queues 20 callbacks of 1 kB each, and resolves when all were called. */
const WAYS: Readonly<Record<string, () => (waits: readonly (() => void)[]) => Promise<unknown>>> = {
  'a semaphore': () => {
    const semaphore = new Semaphore({ places: 1, busy });
    const run = async (use: () => void): Promise<void> => {
      await semaphore.run(null, () => Promise.resolve());
      use();
    };
    return (waits) => Promise.all(waits.map(run));
  },
  'a semaphore of several keys': () => {
    const semaphore = new Semaphore<number>(LIMITS);
    return (waits) =>
      Promise.all(
        waits.map(async (use, key) => {
          const release = await semaphore.acquire(key % 3);
          use();
          release();
        }),
      );
  },
  'a fair queue': () => {
    const queue = new FairQueue<number, () => void>();
    return (waits) => {
      for (const [number, use] of waits.entries()) queue.add(number % 3, use);
      for (let next = queue.take(); next !== undefined; next = queue.take()) next();
      return Promise.resolve();
    };
  },
};

describe('what has waited', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const oldBytes = (): number =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

  it.each(Object.entries(WAYS))(
    'for %s is not kept until the whole heap is collected',
    async (_what, make) => {
      const wait = make();
      let before = 0;
      for (let round = 0; round < 60; round += 1) {
        if (round === 20) before = oldBytes();
        for (let times = 0; times < 40; times += 1) {
          const own = Array.from({ length: 20 }, () => Array.from({ length: 128 }, (_none, n) => n));
          await wait(own.map((numbers) => () => void numbers.length));
          await setImmediate();
        }
        collect({ type: 'minor' });
      }
      // The rounds since `before` allocated 32 MB.
      expect(oldBytes() - before).toBeLessThan(8_000_000);
    },
  );
});
