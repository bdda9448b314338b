import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';

import {
  AWAITED,
  clientOwner,
  companyOwner,
  currentOwner,
  enterEventLoop,
  workFor,
  yieldToEventLoop,
  type Owner,
} from '../../../src/platform/concurrency/event-loop.js';

let tests = 0;
beforeEach(() => void (tests += 1));
/** Parties of each test are others, since what they have used is remembered for a while. */
const of = (party: string, client = party): Owner => ({ party: `${tests} ${party}`, client });
const rangeOf = (length: number): number[] => Array.from({ length }, (_none, step) => step);
/** Keeps the event loop busy. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('those that yield to the event loop', () => {
  it('continue one per turn of the loop if they have one party, in order', async () => {
    const steps: number[] = [];
    const all = Promise.all(
      rangeOf(20).map(async (step) => {
        await yieldToEventLoop();
        steps.push(step);
      }),
    );
    for (let before = 0; steps.length < 20; before = steps.length) {
      await setImmediate();
      expect(steps.length - before).toBeLessThanOrEqual(1);
    }
    await all;
    expect(steps).toEqual(rangeOf(20));
  });

  /** Lets so many callers yield for an owner, and notes who continues. */
  const yieldFor = (owner: Owner, times: number, steps: string[]): Promise<unknown> =>
    Promise.all(
      rangeOf(times).map(() =>
        workFor(owner, async () => {
          await yieldToEventLoop();
          steps.push(String(owner.client));
        }),
      ),
    );

  it('continue in turns by party, however many wait for one party', async () => {
    const steps: string[] = [];
    await Promise.all([
      yieldFor(of('a'), 50, steps),
      yieldFor(of('b'), 2, steps),
      yieldFor(of('c'), 1, steps),
    ]);
    expect(steps.slice(0, 6).join('')).toBe('abcaba');
    expect(steps).toHaveLength(53);
  });

  it('continue before a party that has used more, unless that has waited for long', async () => {
    const steps: string[] = [];
    const repeat = (party: string, times: number, ms: number): Promise<void> =>
      workFor(of(party), async () => {
        for (let step = 0; step < times; step += 1) {
          await yieldToEventLoop();
          steps.push(party);
          work(ms);
        }
      });
    const busy = repeat('busy', 60, 6);
    await sleep(150);
    const before = steps.length;
    await Promise.all([repeat('light', 4, 1), busy]);
    const after = steps.slice(before).join(' ');
    // One part of the busy one runs when the light one comes; then the light one is first, up to 25 ms.
    expect(after).toMatch(/^(busy )?light light light light busy/);
    await Promise.all([repeat('busy', 5, 6), repeat('new', 40, 12)]);
    expect(steps.slice(-45).lastIndexOf('busy')).toBeLessThan(35);
  });

  it('continue in turns by client within a party', async () => {
    const steps: string[] = [];
    await Promise.all([
      yieldFor(of('a', '1'), 20, steps),
      yieldFor(of('a', '2'), 2, steps),
      yieldFor(of('b', '3'), 2, steps),
    ]);
    expect(steps.slice(0, 6).join('')).toBe('132312');
    expect(steps).toHaveLength(24);
  });

  it('continue several in a turn if they have many parties and take little time', async () => {
    let continued = 0;
    const all = Promise.all(
      rangeOf(64).map((party) =>
        workFor(of(String(party)), async () => {
          await yieldToEventLoop();
          continued += 1;
        }),
      ),
    );
    let turns = 0;
    for (; continued < 64; turns += 1) await setImmediate();
    expect(turns).toBeLessThan(20);
    await all;
  });

  it('continue behind what others wait for, which does not keep them from their turns', async () => {
    const steps: string[] = [];
    const repeat = (owner: Owner, name: string): Promise<void> =>
      workFor(owner, async () => {
        for (let step = 0; step < 10; step += 1) {
          await yieldToEventLoop();
          steps.push(name);
          work(10);
        }
      });
    await Promise.all([repeat(of('a'), 'a'), repeat(of('b'), 'b'), repeat(AWAITED, '!')]);
    const first = steps.slice(0, 9);
    expect(first.filter((name) => name !== '!').join('')).toBe('abab');
    expect(first.filter((name) => name === '!').length).toBe(5);
  });

  it('let events be handled between two turns', async () => {
    let [isHeard, turns] = [false, 0];
    const heard = sleep(5).then(() => (isHeard = true));
    while (!isHeard && turns < 1_000) {
      await yieldToEventLoop();
      work(1);
      turns += 1;
    }
    await heard;
    expect(turns).toBeLessThan(1_000);
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

  it('waits behind others of its party, and not behind those of others', async () => {
    await setImmediate();
    const waiting = workFor(of('a'), () => Promise.all(rangeOf(10).map(yieldToEventLoop)));
    expect([await beginsAtOnce('b'), await beginsAtOnce('a')]).toEqual([true, false]);
    await waiting;
  });

  it('of 200 arrivals at the same time of one party waits for the others of it alone', async () => {
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
  it('is the server where no client asked for it', () => expect(currentOwner().party).toBe('server'));

  it('stays the same behind everything that is awaited', async () => {
    const client = {};
    const found = await workFor(clientOwner(client), async () => {
      await sleep(1);
      return await workFor(companyOwner({ companyId: 7 }), async () => {
        await yieldToEventLoop();
        return currentOwner();
      });
    });
    expect(found).toEqual({ party: 7, client });
    expect(currentOwner().party).toBe('server');
  });
});
