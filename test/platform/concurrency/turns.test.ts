import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Turns } from '../../../src/platform/concurrency/turns.js';

const turns = (places: number, placesOfKey: number, maxWaitMs = 60_000): Turns<string> =>
  new Turns({
    ...{ places, placesOfKey, maxWaiting: 10_000, maxWaitingOfKey: 10_000, maxWaitMs },
    busy: () => new Error('busy'),
  });

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

  it('go round the keys, however many wait for one', async () => {
    const all = turns(1, 1);
    const first = await all.acquire('a');
    const order: string[] = [];
    const use = async (key: string): Promise<void> => {
      const release = await all.acquire(key);
      order.push(key);
      release();
    };
    const waiting = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(use);
    first();
    await Promise.all(waiting);
    expect(order.join('')).toBe('abcabaa');
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

  it('end with a refusal of those that wait too long, and of all at the end', async () => {
    const all = turns(2, 1, 20);
    const release = await all.acquire('a');
    await expect(all.acquire('a')).rejects.toThrow('busy');
    expect(all.waiting).toBe(0);
    const waiting = all.acquire('a').catch((error: unknown) => error);
    all.close();
    expect(await waiting).toMatchObject({ message: 'busy' });
    await expect(all.acquire('b')).rejects.toThrow('busy');
    release();
    expect([all.running, all.waiting]).toEqual([0, 0]);
  });
});
