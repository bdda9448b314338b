import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { Semaphore, type Release } from '../../../src/platform/concurrency/semaphore.js';

const BUSY = new Error('busy');
const busy = (): Error => BUSY;

describe('a semaphore', () => {
  it('admits its concurrency at once, queues the next ones in order and refuses the others', async () => {
    const semaphore = new Semaphore({ concurrency: 2, maxWaiting: 3, busy });
    const releases: Release[] = [];
    const order: number[] = [];
    const enter = async (n: number): Promise<void> => {
      const release = await semaphore.acquire();
      order.push(n);
      releases.push(release);
    };
    const all = Promise.allSettled([0, 1, 2, 3, 4, 5].map(enter));
    await setImmediate();
    expect(order).toEqual([0, 1]);
    for (let n = 0; n < 5; n += 1) {
      releases[n]?.();
      await setImmediate();
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect((await all).map((result) => result.status)).toEqual([
      ...Array<string>(5).fill('fulfilled'),
      'rejected',
    ]);
  });

  it('counts a release once, however often it is called', async () => {
    const semaphore = new Semaphore({ concurrency: 1, maxWaiting: 0, busy });
    const release = await semaphore.acquire();
    release();
    const next = await semaphore.acquire();
    release();
    await expect(semaphore.acquire()).rejects.toBe(BUSY);
    next();
    await semaphore.acquire();
  });

  it('releases the place of work that fails', async () => {
    const semaphore = new Semaphore({ concurrency: 1, maxWaiting: 0, busy });
    await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(() => Promise.resolve('next'))).toBe('next');
  });

  it('refuses a caller that has waited too long, and keeps no place for it', async () => {
    const semaphore = new Semaphore({ concurrency: 1, maxWaitMs: 5, busy });
    const release = await semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toBe(BUSY);
    release();
    (await semaphore.acquire())();
  });
});
