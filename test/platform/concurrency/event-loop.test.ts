import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../../src/platform/clock.js';
import { gather, isTurnOver, yieldToEventLoop } from '../../../src/platform/concurrency/event-loop.js';

afterEach(() => vi.restoreAllMocks());

describe('yieldToEventLoop', () => {
  it('lets events be handled between two turns', async () => {
    const heard = AbortSignal.timeout(5);
    const end = performance.now() + 10_000;
    while (!heard.aborted && performance.now() < end) await yieldToEventLoop();
    expect(heard.aborted).toBe(true);
  });

  it('lets loops that run at the same time go on in turns', async () => {
    const steps: string[] = [];
    const loop = async (name: string): Promise<void> => {
      for (let step = 0; step < 3; step += 1) {
        await yieldToEventLoop();
        steps.push(name);
      }
    };
    await Promise.all([loop('a'), loop('b')]);
    expect(steps.join('')).toBe('ababab');
  });
});

describe('gather', () => {
  it('lets all that wait go on together, in the order of arrival', async () => {
    const steps: string[] = [];
    const arrive = async (name: string): Promise<void> => {
      await gather();
      steps.push(name);
    };
    const all = [arrive('first'), arrive('second')];
    await Promise.resolve();
    expect(steps).toEqual([]);
    all.push(arrive('third'));
    await setImmediate();
    expect(steps).toEqual(['first', 'second', 'third']);
    await Promise.all(all);
  });
});

describe('isTurnOver', () => {
  it('compares with the time since it was first asked in this turn of the event loop', async () => {
    let now = 0;
    vi.spyOn(systemClock, 'elapsed').mockImplementation(() => now);
    await setImmediate();
    expect(isTurnOver(5)).toBe(false);
    now = 5;
    expect(isTurnOver(5)).toBe(false);
    now = 6;
    expect(isTurnOver(5)).toBe(true);
    await setImmediate();
    expect(isTurnOver(5)).toBe(false);
  });
});
