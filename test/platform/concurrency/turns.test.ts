import { describe, expect, it } from 'vitest';

import { DomainError } from '../../../src/platform/errors.js';
import { createTurns } from '../../../src/platform/concurrency/turns.js';

describe('turns', () => {
  it('lets so many in at once, so many wait in order, and refuses the others', async () => {
    const turns = createTurns(2, 3);
    const gates: (() => void)[] = [];
    const order: number[] = [];
    const enter = (n: number): Promise<number> =>
      turns.take(async () => {
        order.push(n);
        await new Promise<void>((resolve) => gates.push(resolve));
        return n;
      });
    const all = Promise.allSettled([0, 1, 2, 3, 4, 5].map(enter));
    await Promise.resolve();
    expect(order).toEqual([0, 1]);
    for (let n = 0; n < 5; n += 1) {
      gates[n]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const results = await all;
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(results.map((result) => result.status)).toEqual([
      ...Array<string>(5).fill('fulfilled'),
      'rejected',
    ]);
    const refused = results[5] as PromiseRejectedResult;
    expect(refused.reason).toBeInstanceOf(DomainError);
    expect(refused.reason).toMatchObject({ code: 'busy', details: { retryAfter: 1 } });
  });

  it('passes a turn on when its work fails', async () => {
    const turns = createTurns(1, 0);
    await expect(turns.take(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.take(() => Promise.resolve('next'))).toBe('next');
  });
});
