import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { createPlaces, HeldBytes, WaitingBytes, waitingLimits } from '../../src/platform/client-limits.js';
import { HOUR, MINUTE } from '../../src/platform/clock.js';
import { DomainError } from '../../src/platform/errors.js';
import {
  BoundedWindowStore,
  createNetworkCounter,
  inMemory,
  type WindowLimits,
} from '../../src/platform/windows.js';
import { testClock } from '../support/clock.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const LIMITS = { all: 16 * MIB, ofCompany: 4 * MIB };

const busy = expect.objectContaining({ code: 'busy', details: { retryAfter: 5 } }) as unknown;

describe('the budget of bytes that wait for clients', () => {
  const step = fc.record({
    response: fc.nat(11),
    company: fc.nat(3),
    bytes: fc.oneof(fc.nat(64 * KIB), fc.nat(6 * MIB)),
    what: fc.constantFrom('add', 'add', 'taken', 'release'),
  });

  it('LS-10 never exceeds a limit by more than a response, and is empty when every response is released', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const budget = new WaitingBytes(LIMITS);
        const open = new Map<number, HeldBytes>();
        const sum = (): number => [...open.values()].reduce((bytes, held) => bytes + held.bytes, 0);
        for (const { response, company, bytes, what } of steps) {
          const held = open.get(response) ?? new HeldBytes(budget, company === 3 ? null : company);
          open.set(response, held);
          const [before, ofOthers] = [held.bytes, budget.bytesOf(held.companyId) - held.bytes];
          try {
            if (what === 'release') held.release();
            else held[what](bytes);
            if (what === 'add' && held.bytes > 64 * KIB) {
              expect(ofOthers).toBeLessThan(LIMITS.ofCompany);
              expect(budget.bytes).toBeLessThanOrEqual(LIMITS.all);
            }
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
            expect(held.bytes).toBe(before);
          }
          if (what === 'release') open.delete(response);
          if (budget.bytes !== sum()) expect.fail(`${budget.bytes} of ${sum()} bytes`);
        }
        for (const held of open.values()) held.release();
        expect([budget.bytes, ...[0, 1, 2, null].map((id) => budget.bytesOf(id))]).toEqual([0, 0, 0, 0, 0]);
        // Nothing of the past counts against the largest response there can be.
        budget.hold(1, LIMITS.all).release();
      }),
    );
  });

  it('refuses a large response while others of its company use up its limit, and none of another company', () => {
    const budget = new WaitingBytes(LIMITS);
    const large = budget.hold(1, 5 * MIB);
    expect(() => budget.hold(1, 100 * KIB)).toThrow(busy);
    expect(budget.refused).toBe(1);
    budget.hold(2, 2 * MIB);
    large.release();
    budget.hold(1, 5 * MIB);
  });

  it('refuses a large response that has no room in all, and neither a small one nor that to a change', () => {
    const budget = new WaitingBytes(LIMITS);
    for (const company of [1, 2, 3]) budget.hold(company, 5 * MIB);
    expect(() => budget.hold(4, 2 * MIB)).toThrow(busy);
    for (let n = 0; n < 100; n += 1) budget.hold(4, 64 * KIB);
    budget.hold(4, 2 * MIB, true);
  });

  it('says of a response that could never be sent that it is too large', () => {
    expect(() => new WaitingBytes(LIMITS).hold(1, LIMITS.all + 1)).toThrow(
      expect.objectContaining({ code: 'malformed' }) as Error,
    );
  });

  it.each([
    [128 * MIB, 64 * MIB],
    [512 * MIB, 256 * MIB],
    [4_096 * MIB, 256 * MIB],
  ])('follows the heap: of %i bytes', (heap, all) => {
    expect(waitingLimits(heap)).toEqual({ all, ofCompany: all / 4 });
  });
});

describe('places for large operations', () => {
  afterEach(() => vi.useRealTimers());

  it('leave room to wait for other companies, and let nobody wait for more than a minute', async () => {
    vi.useFakeTimers();
    const places = createPlaces();
    const refusal = expect.objectContaining({ code: 'busy', details: { retryAfter: 1 } }) as Error;
    for (let n = 0; n < 2; n += 1) await places.acquire(1);
    const waiting = Array.from({ length: 500 }, () => places.acquire(1).catch((error: unknown) => error));
    await expect(places.acquire(1)).rejects.toEqual(refusal);
    for (let n = 0; n < 2; n += 1) await places.acquire(2);
    const other = places.acquire(2).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.all([other, ...waiting])).toEqual(Array(501).fill(refusal));
  });
});

const repeat = (times: number, action: (n: number) => unknown): void => {
  for (let n = 0; n < times; n += 1) action(n);
};

/** A /64 of its own for each number, 65,536 of them in a /48. */
const network = (n: number): string => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

describe('RL-09 the windows in memory', () => {
  const clock = testClock();
  const storeOf = (points: number, maxKeys: number) =>
    new BoundedWindowStore({ points, maxKeys, windowMs: HOUR }, clock);

  it('are at most so many, and keys without an event for the longest time make room', () => {
    const store = storeOf(1_000, 100);
    store.count('idle');
    let most = 0;
    repeat(10_000, (n) => {
      store.count(`other ${n}`);
      if (n % 20 === 0) store.count('in use');
      most = Math.max(most, store.size);
    });
    expect(most).toBeLessThanOrEqual(100);
    expect(store.read('idle')).toBeNull();
    expect(store.read('in use')?.count).toBe(500);
    const last = Array.from({ length: 50 }, (_, n) => store.read(`other ${9_999 - n}`));
    expect(last).not.toContain(null);
  });

  it('of as many keys in use as there is room for are not all forgotten at once', () => {
    const store = storeOf(1_000, 100);
    repeat(1_000, (n) => {
      store.count(`key ${n % 100}`);
      if (n > 100) expect(store.size).toBeGreaterThanOrEqual(50);
    });
  });

  it('of keys whose limit is used up stay until they end', () => {
    const store = storeOf(2, 3);
    repeat(3, () => store.count('used up'));
    repeat(1_000, (n) => store.count(`other ${n}`));
    expect(store.size).toBeLessThanOrEqual(3);
    expect(store.count('used up').count).toBe(4);
    clock.advance(HOUR + 1);
    expect(store.read('used up')).toBeNull();
    expect(store.count('used up').count).toBe(1);
  });

  it('are shared by new keys as long as all others are used up, and then no more', () => {
    const store = storeOf(1, 2);
    store.count('a');
    clock.advance(MINUTE);
    store.count('b');
    expect(store.count('c').count).toBe(1);
    expect(store.count('d').count).toBe(2);
    expect(store.size).toBe(2);
    clock.advance(HOUR - MINUTE / 2);
    expect(store.count('c').count).toBe(1);
    expect(store.read('a')).toBeNull();
    expect(store.read('b')?.count).toBe(1);
    expect(store.read('c')?.count).toBe(1);
  });
});

describe('RL-09 a counter of networks', () => {
  const counterOf = (points: number) => {
    const clock = testClock();
    const stores: BoundedWindowStore[] = [];
    const open = (limits: WindowLimits) => {
      const store = new BoundedWindowStore(limits, clock);
      stores.push(store);
      return store;
    };
    const limits = { name: 'test', points, windowMs: HOUR };
    return { clock, stores, counter: createNetworkCounter(limits, { ...inMemory(clock), open }) };
  };

  it('keeps at most 50,000 windows of 75,000 networks, and no client over its limit gets free', () => {
    const { counter, stores } = counterOf(100);
    const over = ['198.51.100.7', '2001:db8:ffff::1'];
    for (const address of over) repeat(101, () => counter.count(address));
    let refused = 0;
    repeat(75_000, (n) => {
      if (counter.count(network(n)).isOver) refused += 1;
    });
    // A whole /48 and a part of a second, each with the limit of 64 clients.
    expect(refused).toBe(75_000 - 2 * 64 * 100);
    for (const { size } of stores) expect(size).toBeLessThanOrEqual(50_000);
    for (const address of over) expect(counter.count(address)).toMatchObject({ isOver: true });
    const honest = '2001:db8:eeee::1';
    repeat(100, () => expect(counter.count(honest).isOver).toBe(false));
    expect(counter.count(honest)).toMatchObject({ isOver: true, remaining: 0 });
  });

  it('keeps as many of networks without a common prefix', () => {
    const { counter, stores } = counterOf(1_000);
    repeat(60_000, (n) => counter.count(`2a${(n >> 12).toString(16)}:${(n & 0xfff).toString(16)}::1`));
    repeat(60_000, (n) => counter.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
    for (const { size } of stores) {
      expect(size).toBeGreaterThanOrEqual(25_000);
      expect(size).toBeLessThanOrEqual(50_000);
    }
  });

  it('gives a /48 the limit of 64 clients and a /32 that of 4,096', () => {
    const { counter, clock } = counterOf(1);
    repeat(64, (n) => expect(counter.count(network(n)).isOver).toBe(false));
    expect(counter.count(network(64))).toMatchObject({ isOver: true, remaining: 0 });
    expect(counter.read(network(65)).isFull).toBe(true);
    repeat(63 * 64, (n) => {
      const next = network(((1 + (n >> 6)) << 16) + (n & 63));
      expect(counter.count(next).isOver).toBe(false);
    });
    expect(counter.count('2001:db8:aaaa::1').isOver).toBe(true);
    expect(counter.count('2001:db9::1').isOver).toBe(false);
    clock.advance(HOUR);
    expect(counter.count(network(64)).isOver).toBe(false);
  });

  it('counts what a client sends over its limit against the client alone', () => {
    const { counter } = counterOf(2);
    repeat(1_000, () => counter.count(network(0)));
    expect(counter.count(network(1)).isOver).toBe(false);
  });

  it('has separate stores in memory for separate limits', () => {
    const clock = testClock();
    const [one, other] = [1, 2].map((points) =>
      createNetworkCounter({ name: 'test', points, windowMs: HOUR }, inMemory(clock)),
    );
    one?.count('192.0.2.1');
    expect([one?.read('192.0.2.1').isFull, other?.read('192.0.2.1').isFull]).toEqual([true, false]);
  });
});
