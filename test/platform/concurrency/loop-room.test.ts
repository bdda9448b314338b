import { describe, expect, it } from 'vitest';

import { createLoopRoom } from '../../../src/platform/concurrency/loop-room.js';

describe('the room of the event loop', () => {
  it('falls while the loop is busy, to two fifths, and rises again while it is not', () => {
    let [busy, at] = [0.9, 0];
    const room = createLoopRoom(
      () => busy,
      () => at,
    );
    const after = (windows: number): number => {
      let last = room();
      for (let n = 0; n < windows; n += 1) {
        at += 100;
        last = room();
      }
      return last;
    };
    expect(room()).toBe(1);
    expect(after(1)).toBeCloseTo(0.85);
    at += 50;
    expect(room()).toBeCloseTo(0.85);
    expect(after(20)).toBe(0.4);
    busy = 0.7;
    expect(after(5)).toBe(0.4);
    busy = 0.2;
    expect(after(1)).toBeCloseTo(0.44);
    expect(after(20)).toBe(1);
  });
});
