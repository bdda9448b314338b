import { describe, expect, it } from 'vitest';

import { HOUR, MINUTE } from '../../../src/platform/clock.js';
import { createNetworkCounter, inMemory } from '../../../src/platform/limits/network-counter.js';
import { BoundedWindowStore, type WindowLimits } from '../../../src/platform/limits/window-store.js';
import { testClock } from '../../support/clock.js';

const repeat = async (times: number, action: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < times; n += 1) await action(n);
};

/** A /64 of its own for each number, 65,536 of them in a /48. */
const network = (n: number): string => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

describe('RL-09 the windows in memory', () => {
  const clock = testClock();
  const storeOf = (points: number, maxKeys: number) =>
    new BoundedWindowStore({ points, maxKeys, windowMs: HOUR }, clock);

  it('are at most so many, and keys without an event for the longest time make room', async () => {
    const store = storeOf(1_000, 100);
    await store.penalty('idle');
    await repeat(10_000, async (n) => {
      await store.penalty(`other ${n}`);
      if (n % 20 === 0) await store.penalty('in use');
      expect(store.size).toBeLessThanOrEqual(100);
    });
    expect(await store.get('idle')).toBeNull();
    expect((await store.get('in use'))?.consumedPoints).toBe(500);
    const last = await Promise.all(Array.from({ length: 50 }, (_, n) => store.get(`other ${9_999 - n}`)));
    expect(last).not.toContain(null);
  });

  it('of as many keys in use as there is room for are not all forgotten at once', async () => {
    const store = storeOf(1_000, 100);
    await repeat(1_000, async (n) => {
      await store.penalty(`key ${n % 100}`);
      if (n > 100) expect(store.size).toBeGreaterThanOrEqual(50);
    });
  });

  it('of keys whose limit is used up stay until they end', async () => {
    const store = storeOf(2, 3);
    await repeat(3, () => store.penalty('used up'));
    await repeat(1_000, (n) => store.penalty(`other ${n}`));
    expect(store.size).toBeLessThanOrEqual(3);
    expect((await store.penalty('used up')).consumedPoints).toBe(4);
    clock.advance(HOUR + 1);
    expect(await store.get('used up')).toBeNull();
    expect((await store.penalty('used up')).consumedPoints).toBe(1);
  });

  it('are shared by new keys as long as all others are used up, and then no more', async () => {
    const store = storeOf(1, 2);
    await store.penalty('a');
    clock.advance(MINUTE);
    await store.penalty('b');
    expect((await store.penalty('c')).consumedPoints).toBe(1);
    expect((await store.penalty('d')).consumedPoints).toBe(2);
    expect(store.size).toBe(2);
    clock.advance(HOUR - MINUTE / 2);
    expect((await store.penalty('c')).consumedPoints).toBe(1);
    expect(await store.get('a')).toBeNull();
    expect((await store.get('b'))?.consumedPoints).toBe(1);
    expect((await store.get('c'))?.consumedPoints).toBe(1);
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

  it('keeps at most 150,000 windows of 300,000 networks, and no client over its limit gets free', async () => {
    const { counter, stores } = counterOf(100);
    const over = ['198.51.100.7', '2001:db8:ffff::1'];
    for (const address of over) await repeat(101, () => counter.count(address));
    let refused = 0;
    await repeat(300_000, async (n) => {
      if ((await counter.count(network(n))).isOver) refused += 1;
    });
    // Four whole /48 and a part of a fifth, each with the limit of 64 clients.
    expect(refused).toBe(300_000 - 5 * 64 * 100);
    expect(stores.reduce((sum, store) => sum + store.size, 0)).toBeLessThanOrEqual(150_000);
    for (const address of over) expect(await counter.count(address)).toMatchObject({ isOver: true });
    const honest = '2001:db8:eeee::1';
    await repeat(100, async () => expect((await counter.count(honest)).isOver).toBe(false));
    expect(await counter.count(honest)).toMatchObject({ isOver: true, remaining: 0 });
  });

  it('keeps as many of networks without a common prefix', async () => {
    const { counter, stores } = counterOf(1_000);
    await repeat(60_000, (n) => counter.count(`2a${(n >> 12).toString(16)}:${(n & 0xfff).toString(16)}::1`));
    await repeat(60_000, (n) => counter.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
    for (const { size } of stores) {
      expect(size).toBeGreaterThanOrEqual(25_000);
      expect(size).toBeLessThanOrEqual(50_000);
    }
  });

  it('gives a /48 the limit of 64 clients and a /32 that of 4,096', async () => {
    const { counter, clock } = counterOf(1);
    await repeat(64, async (n) => expect((await counter.count(network(n))).isOver).toBe(false));
    expect(await counter.count(network(64))).toMatchObject({ isOver: true, remaining: 0 });
    expect((await counter.read(network(65))).isFull).toBe(true);
    await repeat(63 * 64, async (n) => {
      const next = network(((1 + (n >> 6)) << 16) + (n & 63));
      expect((await counter.count(next)).isOver).toBe(false);
    });
    expect((await counter.count('2001:db8:aaaa::1')).isOver).toBe(true);
    expect((await counter.count('2001:db9::1')).isOver).toBe(false);
    clock.advance(HOUR);
    expect((await counter.count(network(64))).isOver).toBe(false);
  });

  it('counts what a client sends over its limit against the client alone', async () => {
    const { counter } = counterOf(2);
    await repeat(1_000, () => counter.count(network(0)));
    expect((await counter.count(network(1))).isOver).toBe(false);
  });

  it('has separate stores in memory for separate limits', async () => {
    const clock = testClock();
    const [one, other] = [1, 2].map((points) =>
      createNetworkCounter({ name: 'test', points, windowMs: HOUR }, inMemory(clock)),
    );
    await one?.count('192.0.2.1');
    expect([(await one?.read('192.0.2.1'))?.isFull, (await other?.read('192.0.2.1'))?.isFull]).toEqual([
      true,
      false,
    ]);
  });
});
