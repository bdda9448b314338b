import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  systemClock,
  AWAITED,
  companyOwner,
  currentOwner,
  enterEventLoop,
  workFor,
  yieldToEventLoop,
  yieldToOtherOwners,
} from '../../src/platform/clock.js';

let tests = 0;
beforeEach(() => void (tests += 1));
/** Owners of each test are others. */
const of = (name: string): string => `${tests} ${name}`;
const nameOf = (owner: string): string => owner.split(' ').at(-1) ?? '';
const rangeOf = (length: number): number[] => Array.from({ length }, (_none, step) => step);

/** The time goes on with `work` alone, so that the order does not depend on how fast the machine is. */
let now = performance.now();
beforeAll(() => void vi.spyOn(systemClock, 'elapsed').mockImplementation(() => now));
afterAll(() => void vi.restoreAllMocks());

/** Takes so long. */
function work(ms: number): void {
  now += ms;
}

describe('those that yield to the event loop', () => {
  /** How many of 64 parts continue in each turn of the loop, and in which order, each after so many ms of work. */
  const turnsOf = async (ownerOf: (part: number) => string, ms: number) => {
    const order: number[] = [];
    const all = Promise.all(
      rangeOf(64).map((part) =>
        workFor(ownerOf(part), async () => {
          await yieldToEventLoop();
          order.push(part);
          work(ms);
        }),
      ),
    );
    const inTurns: number[] = [];
    for (let before = 0; order.length < 64; before = order.length) {
      await setImmediate();
      inTurns.push(order.length - before);
    }
    await all;
    return { order, turns: inTurns.length, most: Math.max(...inTurns) };
  };

  it('continue in order, one per turn of the loop if they take long', async () => {
    const { order, most } = await turnsOf(() => of('a'), 6);
    expect(order).toEqual(rangeOf(64));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('continue several in a turn if they take little time, whether they have one party or many', async () => {
    const [one, many] = [await turnsOf(() => of('a'), 0), await turnsOf((part) => of(String(part)), 0)];
    expect([one.order, many.order]).toEqual([rangeOf(64), rangeOf(64)]);
    expect(Math.max(one.turns, many.turns)).toBeLessThan(20);
  });

  /** Lets so many callers yield for an owner, and notes who continues. */
  const yieldFor = (owner: string, times: number, steps: string[]): Promise<unknown> =>
    Promise.all(
      rangeOf(times).map(() =>
        workFor(owner, async () => {
          await yieldToEventLoop();
          steps.push(nameOf(owner));
        }),
      ),
    );

  const repeat = (owner: string, times: number, ms: number, steps: string[]): Promise<void> =>
    workFor(owner, async () => {
      for (let step = 0; step < times; step += 1) {
        await yieldToEventLoop();
        steps.push(nameOf(owner));
        work(ms);
      }
    });

  /** How many steps there are when at least so many have been noted. */
  const stepsAfter = async (steps: readonly string[], count: number): Promise<number> => {
    while (steps.length < count) await setImmediate();
    return steps.length;
  };

  it('continue in turns by party, however many wait for one party', async () => {
    const steps: string[] = [];
    await Promise.all([
      yieldFor(of('a'), 50, steps),
      yieldFor(of('b'), 2, steps),
      yieldFor(of('c'), 1, steps),
    ]);
    expect(steps.slice(0, 3).join('')).toBe('abc');
    expect(steps.lastIndexOf('b')).toBeLessThan(6);
    expect(steps).toHaveLength(53);
  });

  it('continue a read before other work of its owner, but neither before other owners nor for ever', async () => {
    const steps: string[] = [];
    const others = [repeat(of('a'), 40, 0, steps), repeat(of('b'), 4, 0, steps)];
    const read = workFor(of('a'), async () => {
      for (let part = 0; part < 64; part += 1) {
        await yieldToOtherOwners();
        steps.push('read');
      }
    });
    await Promise.all([...others, read]);
    expect(steps.lastIndexOf('b')).toBeLessThan(12);
    // One part of 16 is not ahead; the parts of all reads are counted together.
    const meanwhile = steps.slice(0, steps.lastIndexOf('read')).filter((step) => step === 'a').length;
    expect([3, 4, 5]).toContain(meanwhile);
  });

  it('continue by turns with what others wait for, however long that takes', async () => {
    const steps: string[] = [];
    await Promise.all([
      repeat(of('a'), 10, 10, steps),
      repeat(of('b'), 10, 10, steps),
      repeat(AWAITED, 10, 10, steps),
    ]);
    const first = steps.slice(0, 10);
    const times = (name: string): number => first.filter((each) => each === name).length;
    expect(times(AWAITED)).toBe(5);
    expect(Math.min(times('a'), times('b'))).toBe(2);
  });

  it('have a few milliseconds before the next long part that others wait for', async () => {
    const steps: string[] = [];
    const long = repeat(AWAITED, 10, 20, steps);
    const before = await stepsAfter(steps, 2);
    await repeat(of('a'), 6, 0, steps);
    // One may be running when they come.
    expect(steps.slice(before).join(' ')).toMatch(/^(awaited ){0,2}a a a a a a$/);
    await long;
  });

  it('let events be handled between two turns', async () => {
    const heard = AbortSignal.timeout(5);
    const end = performance.now() + 10_000;
    while (!heard.aborted && performance.now() < end) await yieldToEventLoop();
    expect(heard.aborted).toBe(true);
  });
});

describe('new work', () => {
  /** Whether it begins before the loop looks for events again. */
  const beginsAtOnce = async (owner: string): Promise<boolean> => {
    let hasBegun = false;
    const begun = workFor(of(owner), enterEventLoop).then(() => (hasBegun = true));
    for (let tick = 0; tick < 5; tick += 1) await Promise.resolve();
    const result = hasBegun;
    await begun;
    return result;
  };

  it('begins at once while there is little to do', async () => {
    await setImmediate();
    expect(await beginsAtOnce('a')).toBe(true);
  });

  it('waits while the loop is busy', async () => {
    await setImmediate();
    await workFor(of('a'), enterEventLoop);
    work(20);
    expect(await beginsAtOnce('b')).toBe(false);
  });

  it('gets in line where others wait: behind its own, and in turns with others', async () => {
    await setImmediate();
    const order: string[] = [];
    const go = (owner: string, wait: () => Promise<void>): Promise<unknown> =>
      workFor(of(owner), async () => {
        await wait();
        order.push(owner);
        work(1);
      });
    const many = Promise.all(rangeOf(40).map(() => go('a', yieldToEventLoop)));
    await setImmediate();
    const before = order.length;
    const [atOnce] = await Promise.all([beginsAtOnce('c'), go('a', enterEventLoop), go('b', enterEventLoop)]);
    await many;
    expect(atOnce).toBe(false);
    expect(before).toBeGreaterThan(0);
    expect(order.slice(before).indexOf('b')).toBeLessThan(2);
    expect(order.at(-1)).toBe('a');
    expect(order).toHaveLength(42);
  });

  it('of 200 newRows at the same time of one party waits for the others of it alone', async () => {
    const order: string[] = [];
    const arrive = (owner: string): Promise<unknown> =>
      workFor(of(owner), async () => {
        await enterEventLoop();
        order.push(owner);
        work(1);
      });
    await setImmediate();
    await Promise.all([...rangeOf(200).map(() => arrive('many')), arrive('one')]);
    expect(order.indexOf('one')).toBeLessThan(3);
  });
});

describe('the owner of work', () => {
  it('is the server where no client asked for it', () => expect(currentOwner()).toBe('server'));

  it('stays the same behind everything that is awaited', async () => {
    const found = await workFor({}, async () => {
      await sleep(1);
      return await workFor(companyOwner({ companyId: 7 }), async () => {
        await yieldToEventLoop();
        return currentOwner();
      });
    });
    expect(found).toBe(7);
    expect(currentOwner()).toBe('server');
  });
});
