import { describe, expect, it } from 'vitest';

import { RetrySpread } from '../../../src/platform/limits/retry-spread.js';

describe('the Retry-After of clients that are refused together', () => {
  it('lets so many of them come back in each second, and starts again where time has passed', () => {
    let at = 0;
    const spread = new RetrySpread({ perSecond: 10, leastSeconds: 5, mostSeconds: 8 }, { elapsed: () => at });
    const next = (count: number): number[] => Array.from({ length: count }, () => spread.seconds());
    const given = Map.groupBy(next(31), (seconds) => seconds);
    expect([...given.keys()]).toEqual([5, 6, 7, 8]);
    expect([...given.values()].every(({ length }) => length <= 10)).toBe(true);
    // More than fit come back among the first ones.
    expect(next(1)).toEqual([5]);
    at += 60_000;
    expect(next(1)).toEqual([5]);
  });
});
