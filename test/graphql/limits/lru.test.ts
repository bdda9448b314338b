import { describe, expect, it } from 'vitest';

import { Lru } from '../../../src/graphql/limits/lru.js';

const kept = (lru: Lru<number>, keys: readonly string[]) => keys.filter((key) => lru.get(key) !== undefined);

describe('an LRU cache', () => {
  it('is limited by its number of entries', () => {
    const lru = new Lru<number>(2);
    for (const key of ['a', 'b', 'a', 'c']) lru.set(key, 1);
    expect(kept(lru, ['a', 'b', 'c'])).toEqual(['a', 'c']);
  });

  it('is limited by the characters of its keys, each entry counted once', () => {
    const lru = new Lru<number>(100, 10);
    for (const key of ['aaaa', 'bbbb', 'bbbb', 'cc']) lru.set(key, 1);
    expect(kept(lru, ['aaaa', 'bbbb', 'cc'])).toEqual(['aaaa', 'bbbb', 'cc']);
    lru.set('dddd', 1);
    expect(kept(lru, ['aaaa', 'bbbb', 'cc', 'dddd'])).toEqual(['bbbb', 'cc', 'dddd']);
    lru.set('eleven long', 1);
    expect(lru.size).toBe(0);
  });
});
