import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Release } from '../../../src/platform/concurrency/semaphore.js';
import { Turns, type TurnLimits } from '../../../src/platform/concurrency/turns.js';

const BUSY = new Error('busy');
const { signal } = new AbortController();
const [ACME, BETA, GAMA] = [1, 2, 3] as const;

const turnsOf = (limits: Partial<TurnLimits> = {}): Turns =>
  new Turns({
    ...{ places: 4, placesOfCompany: 3, maxWaiting: 10, maxWaitingOfCompany: 5, maxWaitMs: 10_000 },
    busy: () => BUSY,
    ...limits,
  });

/** Callers that note in which order they got a place. */
function callers(turns: Turns) {
  const order: string[] = [];
  const releases = new Map<string, Release>();
  return {
    order,
    enter: (name: string, company: number) => {
      turns.acquire(company, signal).then(
        (release) => {
          order.push(name);
          releases.set(name, release);
        },
        () => order.push(`${name} refused`),
      );
    },
    leave: async (name: string) => {
      releases.get(name)?.();
      await setImmediate();
    },
  };
}

describe('UP-20 turns by company', () => {
  it('keep a place free of a company that wants all of them', async () => {
    const { order, enter } = callers(turnsOf());
    for (const n of [1, 2, 3, 4, 5]) enter(`acme ${n}`, ACME);
    enter('beta 1', BETA);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 2', 'acme 3', 'beta 1']);
  });

  it('give free places to the companies one after another, whoever waits with more callers', async () => {
    const { order, enter, leave } = callers(turnsOf({ places: 1, placesOfCompany: 1 }));
    for (const n of [1, 2, 3, 4]) enter(`acme ${n}`, ACME);
    for (const n of [1, 2]) enter(`beta ${n}`, BETA);
    enter('gama 1', GAMA);
    await setImmediate();
    for (let left = 0; left < 6; left += 1) await leave(order.at(-1) ?? '');
    expect(order).toEqual(['acme 1', 'acme 2', 'beta 1', 'gama 1', 'acme 3', 'beta 2', 'acme 4']);
  });

  it('refuse a caller whose queue is full, of its company or of all', async () => {
    const { order, enter } = callers(
      turnsOf({ places: 1, placesOfCompany: 1, maxWaiting: 3, maxWaitingOfCompany: 2 }),
    );
    for (const n of [1, 2, 3, 4]) enter(`acme ${n}`, ACME);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 4 refused']);
    enter('beta 1', BETA);
    enter('gama 1', GAMA);
    await setImmediate();
    expect(order).toEqual(['acme 1', 'acme 4 refused', 'gama 1 refused']);
  });

  it('refuse a caller that has waited too long or leaves, and keep no place for it', async () => {
    const turns = turnsOf({ places: 1, placesOfCompany: 1, maxWaitMs: 20 });
    const release = await turns.acquire(ACME, signal);
    const leaving = new AbortController();
    const left = turns.acquire(BETA, leaving.signal);
    const reason = new Error('the client has left');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(turns.acquire(BETA, leaving.signal)).rejects.toBe(reason);
    await expect(turns.acquire(ACME, signal)).rejects.toBe(BUSY);
    release();
    release();
    const next = await turns.acquire(GAMA, signal);
    await expect(turns.acquire(ACME, signal)).rejects.toBe(BUSY);
    next();
  });
});
