import { describe, expect, it } from 'vitest';

import { KeptAnswers } from '../../../src/http/answers/kept-answers.js';

const MAX = 100_000;
/** A kept answer takes so many characters in all: an eighth of the room. */
const PART = MAX / 8;
const ROOM_OF_ENTRY = 500 + 'q00'.length;
const name = (index: number): string => `q${String(index).padStart(2, '0')}`;

function shelves() {
  const kept = new KeptAnswers(MAX);
  const keep = (companyId: number, index: number, length = PART - ROOM_OF_ENTRY): void => {
    const text = 'x'.repeat(length);
    kept.keep(companyId, name(index), { answer: { text, nodes: index }, position: index }, text);
  };
  const has = (companyId: number, index: number): boolean => kept.find(companyId, name(index)) !== undefined;
  return { kept, keep, has };
}

describe('kept answers', () => {
  it('are found by company and question', () => {
    const { kept, keep, has } = shelves();
    keep(1, 5);
    expect(kept.find(1, name(5))).toMatchObject({ answer: { nodes: 5 }, position: 5 });
    expect([has(2, 5), has(1, 6)]).toEqual([false, false]);
  });

  it('are replaced by later ones', () => {
    const { kept, keep } = shelves();
    keep(1, 5, 3_000);
    kept.keep(1, name(5), { answer: 'short', position: 9 }, 'short');
    expect(kept.find(1, name(5))?.position).toBe(9);
    expect(kept.characters).toBe('short'.length + ROOM_OF_ENTRY);
  });

  it('take no more than the room, and none of them more than an eighth of it', () => {
    const { kept, keep, has } = shelves();
    keep(1, 1, PART);
    expect([has(1, 1), kept.characters]).toEqual([false, 0]);
    for (let index = 0; index < 50; index += 1) keep(1, index, index * 300);
    expect(kept.characters).toBeLessThanOrEqual(MAX);
    expect(kept.characters).toBeGreaterThan(MAX / 2);
    expect(has(1, 39)).toBe(true);
  });

  it('make room in the company that has the most, first those that were not used', () => {
    const { keep, has } = shelves();
    keep(2, 0);
    for (let index = 1; index < 8; index += 1) keep(1, index);
    expect([has(1, 1), has(1, 2)]).toEqual([true, true]);
    keep(1, 8);
    keep(1, 9);
    const left = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((index) => has(1, index));
    expect(left).toEqual([1, 2, 5, 6, 7, 8, 9]);
    expect(has(2, 0)).toBe(true);
  });

  it('all of which were used, make room too', () => {
    const { keep, has } = shelves();
    for (let index = 1; index <= 8; index += 1) keep(1, index);
    for (let index = 1; index <= 8; index += 1) expect(has(1, index)).toBe(true);
    keep(1, 9);
    const left = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((index) => has(1, index));
    expect(left).toHaveLength(8);
  });
});
