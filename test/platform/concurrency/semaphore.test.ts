import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import {
  FairQueue,
  type Place,
  Queue,
  type Release,
  Semaphore,
  type SemaphoreLimits,
} from '../../../src/platform/concurrency/semaphore.js';

const BUSY = new Error('busy');
const { signal } = new AbortController();
const [ACME, BETA, GAMA] = [1, 2, 3] as const;

const turnsOf = (limits: Partial<SemaphoreLimits> = {}): Semaphore<number> =>
  new Semaphore({ places: 4, placesOfKey: 3, maxWaitMs: 10_000, busy: () => BUSY, ...limits });

/** Callers that note in which order they got a place. */
function callers(turns: Semaphore<number>) {
  const order: string[] = [];
  const releases = new Map<string, Release>();
  return {
    order,
    enter: (name: string, company: number) => {
      turns.acquire(company, signal).then(
        (release) => {
          order.push(name);
          releases.set(name, release);
        },
        () => order.push(`${name} refused`),
      );
    },
    leave: async (name: string) => {
      releases.get(name)?.();
      await setImmediate();
    },
  };
}

describe('UP-20 turns by company', () => {
  it('keep a place free of a company that wants all of them', async () => {
    const { order, enter } = callers(turnsOf());
    for (const n of [1, 2, 3, 4, 5]) enter(`acme ${n}`, ACME);
    enter('beta 1', BETA);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 2', 'acme 3', 'beta 1']);
  });

  it('give free places to the companies one after another, whoever waits with more callers', async () => {
    const { order, enter, leave } = callers(turnsOf({ places: 1, placesOfKey: 1 }));
    for (const n of [1, 2, 3, 4]) enter(`acme ${n}`, ACME);
    for (const n of [1, 2]) enter(`beta ${n}`, BETA);
    enter('gama 1', GAMA);
    await setImmediate();
    for (let left = 0; left < 6; left += 1) await leave(order.at(-1) ?? '');
    expect(order).toEqual(['acme 1', 'acme 2', 'beta 1', 'gama 1', 'acme 3', 'beta 2', 'acme 4']);
  });

  it('refuse a caller whose queue is full, of its company or of all', async () => {
    const { order, enter } = callers(
      turnsOf({ places: 1, placesOfKey: 1, maxWaiting: 3, maxWaitingOfKey: 2 }),
    );
    for (const n of [1, 2, 3, 4]) enter(`acme ${n}`, ACME);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 4 refused']);
    enter('beta 1', BETA);
    enter('gama 1', GAMA);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 4 refused', 'gama 1 refused']);
  });

  it('refuse a caller that has waited too long or leaves, and keep no place for it', async () => {
    const turns = turnsOf({ places: 1, placesOfKey: 1, maxWaitMs: 20 });
    const release = await turns.acquire(ACME, signal);
    const leaving = new AbortController();
    const left = turns.acquire(BETA, leaving.signal);
    const reason = new Error('the client has left');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(turns.acquire(BETA, leaving.signal)).rejects.toBe(reason);
    await expect(turns.acquire(ACME, signal)).rejects.toBe(BUSY);
    release();
    release();
    const next = await turns.acquire(GAMA, signal);
    await expect(turns.acquire(ACME, signal)).rejects.toBe(BUSY);
    next();
  });
});

const turns = (places: number, placesOfKey: number): Semaphore<string> =>
  new Semaphore({ places, placesOfKey, maxWaitMs: 60_000, busy: () => new Error('busy') });

describe('turns', () => {
  it('are never more than the places, altogether and of one key, and all are served', async () => {
    const cases = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 2, max: 4 }), async (keys, places) => {
        const all = turns(places, places - 1);
        const held: string[] = [];
        let served = 0;
        const use = async (key: string): Promise<void> => {
          const release = await all.acquire(key);
          held.push(key);
          expect(held.length).toBeLessThanOrEqual(places);
          expect(held.filter((other) => other === key).length).toBeLessThan(places);
          expect(all.running).toBeLessThanOrEqual(places);
          await Promise.resolve();
          held.splice(held.indexOf(key), 1);
          served += 1;
          release();
          release();
        };
        await Promise.all(keys.map(use));
        expect([served, all.running, all.waiting]).toEqual([keys.length, 0, 0]);
      }),
      { numRuns: 200 },
    );
  });

  it('are given again if a pause ends before all were given back, which its caller sees', async () => {
    const all = turnsOf({ places: 2 });
    const release = await all.acquire(1);
    const paused = all.pause();
    all.resume();
    await paused;
    expect(await all.acquire(2)).toBeTypeOf('function');
    const pausedAgain = all.pause();
    const third = all.acquire(3);
    expect(all.waiting).toBe(1);
    release();
    all.resume();
    await pausedAgain;
    (await third)();
  });

  it('are not given while they are paused', async () => {
    const all = turns(2, 1);
    const release = await all.acquire('a');
    const events: string[] = [];
    const paused = all.pause().then(() => events.push('paused'));
    const next = all.acquire('b').then((end) => {
      events.push('b');
      end();
    });
    await Promise.resolve();
    expect(events).toEqual([]);
    release();
    await paused;
    expect([events, all.waiting]).toEqual([['paused'], 1]);
    all.resume();
    await next;
    expect(events).toEqual(['paused', 'b']);
  });

  it('are refused after finish, which resolves once those before it have left', async () => {
    const all = turns(1, 1);
    const events: string[] = [];
    const release = await all.acquire('a');
    const waiting = all.acquire('a').then((end) => {
      events.push('second');
      end();
    });
    const finished = all.finish().then(() => events.push('finished'));
    await expect(all.acquire('b')).rejects.toThrow('busy');
    expect(events).toEqual([]);
    release();
    await Promise.all([waiting, finished]);
    expect(events).toEqual(['second', 'finished']);
  });

  it('end with a refusal of all that wait, and of those after it', async () => {
    const all = turns(2, 1);
    const release = await all.acquire('a');
    const waiting = all.acquire('a').catch((error: unknown) => error);
    all.close();
    expect(await waiting).toMatchObject({ message: 'busy' });
    await expect(all.acquire('b')).rejects.toThrow('busy');
    release();
    expect([all.running, all.waiting]).toEqual([0, 0]);
  });
});

describe('a semaphore', () => {
  it('releases the place of work that fails', async () => {
    const semaphore = new Semaphore({ places: 1, maxWaiting: 0, busy: () => BUSY });
    await expect(semaphore.run(null, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(null, () => Promise.resolve('next'))).toBe('next');
  });
});

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
