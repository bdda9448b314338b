import { describe, expect, it } from 'vitest';

import { spreadRetries } from '../../src/http/server/turns.js';

describe('the Retry-After of clients that are refused together', () => {
  it('lets so many of them come back in each second, and starts again where time has passed', () => {
    let at = 0;
    const retryAfter = spreadRetries(
      { elapsed: () => at },
      { perSecond: 10, leastSeconds: 5, mostSeconds: 8 },
    );
    const next = (count: number): number[] => Array.from({ length: count }, () => retryAfter());
    const given = Map.groupBy(next(31), (seconds) => seconds);
    expect([...given.keys()]).toEqual([5, 6, 7, 8]);
    expect([...given.values()].every(({ length }) => length <= 10)).toBe(true);
    // More than fit come back among the first ones.
    expect(next(1)).toEqual([5]);
    at += 60_000;
    expect(next(1)).toEqual([5]);
  });
});
