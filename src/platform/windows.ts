import { LRUCache } from 'lru-cache';

import { networksOf } from './client-limits.js';
import type { Clock } from './clock.js';

/** State of a window as this node knows it. */
export interface WindowState {
  readonly count: number;
  /** Events in `count` that other nodes do not know yet. */
  readonly unshared: number;
  /** Events up to the limit. */
  readonly remaining: number;
  /** True if the limit is used up: the next event exceeds it. */
  readonly isFull: boolean;
  readonly isOver: boolean;
  readonly msLeft: number;
}

/** Counts events by key in windows of a fixed length; a window begins with the first event of its key. */
export interface WindowStore {
  count(key: string): WindowState;
  /** Null if the key has no window of its own. */
  read(key: string): WindowState | null;
}

export interface WindowLimits {
  readonly points: number;
  readonly windowMs: number;
  readonly maxKeys: number;
}

/** Limits of a store whose windows several nodes may share. */
export interface NamedLimits extends WindowLimits {
  /** At most 50 letters. Nodes share the windows of stores with the same name. */
  readonly name: string;
}

/** A key of the store `name`. */
export interface WindowKey {
  readonly name: string;
  readonly key: string;
}

/** Opens stores. Nodes that use one database share their windows. */
export interface WindowStores {
  /** A store that never waits for other nodes: it knows their counts after about a second. */
  open(limits: NamedLimits): WindowStore;
  /** Shares the counts of these keys with other nodes, and reads theirs. Takes at most 250 ms; never rejects. */
  exchange(keys: readonly WindowKey[]): Promise<void>;
}

interface Window {
  count: number;
  /** Events in `count` that other nodes do not know yet. */
  unshared: number;
  /** Milliseconds on the clock of `clock.elapsed()`. */
  endsAt: number;
}

export function inMemory(clock: Clock): WindowStores {
  return {
    open: (limits) => new BoundedWindowStore(limits, clock),
    exchange: () => Promise.resolve(),
  };
}

const SWEEPS_IN_A_WINDOW = 60;

/**
 * A store in memory. New keys replace those without an event for the longest time, but none whose limit is used up; if
 * all are, the events of new keys share one window. Every operation takes constant time.
 */
export class BoundedWindowStore implements WindowStore {
  /** Windows whose limit is not used up. Limited by size, since a limited number of keys would be allocated at once. */
  readonly #open: LRUCache<string, Window>;
  /** Windows whose limit is used up. */
  readonly #full = new Map<string, Window>();
  #others: Window;
  #sweepsAt: number;

  constructor(
    private readonly limits: WindowLimits,
    private readonly clock: Clock,
  ) {
    this.#open = new LRUCache({ maxSize: limits.maxKeys, sizeCalculation: () => 1 });
    this.#others = this.#newWindow();
    this.#sweepsAt = this.#others.endsAt;
  }

  get size(): number {
    return this.#open.size + this.#full.size;
  }

  count(key: string): WindowState {
    const window = this.#current(key) ?? this.#begin();
    window.count += 1;
    window.unshared += 1;
    if (window !== this.#others) this.#keep(key, window);
    return this.#stateOf(window);
  }

  read(key: string): WindowState | null {
    const window = this.#current(key);
    return window === undefined ? null : this.#stateOf(window);
  }

  /** Marks events as shared with other nodes. A negative number takes that back, if sharing failed. */
  share(key: string, events: number): void {
    const window = this.#current(key);
    if (window !== undefined) window.unshared = Math.min(window.count, Math.max(0, window.unshared - events));
  }

  /** Updates a window with the count and end that all nodes share. */
  learn(key: string, events: number, msLeft: number): void {
    const window = this.#current(key) ?? this.#begin();
    if (window === this.#others) return;
    window.count = Math.max(window.count, events + window.unshared);
    window.endsAt = Math.min(window.endsAt, this.clock.elapsed() + msLeft);
    this.#keep(key, window);
  }

  #current(key: string): Window | undefined {
    const window = this.#open.get(key) ?? this.#full.get(key);
    if (window === undefined || !this.#hasEnded(window)) return window;
    this.#open.delete(key);
    this.#full.delete(key);
    return undefined;
  }

  #begin(): Window {
    if (this.clock.elapsed() >= this.#sweepsAt) this.#sweep();
    if (this.size >= this.limits.maxKeys) this.#open.pop();
    if (this.size < this.limits.maxKeys) return this.#newWindow();
    if (this.#hasEnded(this.#others)) this.#others = this.#newWindow();
    return this.#others;
  }

  #keep(key: string, window: Window): void {
    if (window.count < this.limits.points) {
      this.#open.set(key, window);
      return;
    }
    this.#open.delete(key);
    this.#full.set(key, window);
  }

  /** Deletes ended windows of `#full`: often enough to free their keys soon, seldom enough to cost little. */
  #sweep(): void {
    for (const [name, window] of this.#full) if (this.#hasEnded(window)) this.#full.delete(name);
    this.#sweepsAt = this.clock.elapsed() + this.limits.windowMs / SWEEPS_IN_A_WINDOW;
  }

  #newWindow(): Window {
    return { count: 0, unshared: 0, endsAt: this.clock.elapsed() + this.limits.windowMs };
  }

  #hasEnded({ endsAt }: Window): boolean {
    return endsAt <= this.clock.elapsed();
  }

  #stateOf({ count, unshared, endsAt }: Window): WindowState {
    const { points } = this.limits;
    return {
      count,
      unshared,
      remaining: Math.max(0, points - count),
      isFull: count >= points,
      isOver: count > points,
      // Whole, since the sum of two times is not exact: a second left would be 1,000.0000001 ms, rounded up to two.
      msLeft: Math.round(endsAt - this.clock.elapsed()),
    };
  }
}

/** `name` is that of the counted event, for example `sign-in`; `points` are for one client. */
type CounterLimits = Omit<NamedLimits, 'maxKeys'>;

/** Multiples of a client's limit for a client, a /48, a /32: lower ones would affect all customers of a provider. */
const CLIENTS = [1, 64, 4_096];

/** Maximum keys in each of the three stores; about 10 MB. */
const MAX_KEYS = 50_000;

type Usage = Omit<WindowState, 'count' | 'unshared'>;
const NOTHING_USED: Usage = { remaining: Infinity, isFull: false, isOver: false, msLeft: 0 };

/** Counts events by the network of a client and those around it (contract 14); the strictest limit applies. */
export function createNetworkCounter({ name, points, windowMs }: CounterLimits, stores: WindowStores) {
  const all = CLIENTS.map((clients) => {
    const limits = { name: `${name} ${clients}`, points: points * clients, windowMs, maxKeys: MAX_KEYS };
    return { name: limits.name, store: stores.open(limits) };
  });
  /** The windows of an address; IPv4 addresses have the first one only. */
  const windowsOf = (address: string) => {
    const networks = networksOf(address);
    return all.slice(0, networks.length).map((window, n) => ({ ...window, key: networks[n] ?? '' }));
  };
  const read = (address: string): Usage =>
    strictest(windowsOf(address).map(({ store, key }) => store.read(key)));
  const count = (address: string): Usage => {
    const [own, ...wider] = windowsOf(address);
    // An event that one limit refuses is not counted against others, so that a client over its limit does
    // not use up the limits of its neighbours.
    const around = strictest(wider.map(({ store, key }) => store.read(key)));
    if (around.isFull || own === undefined) return { ...around, isOver: true };
    const usage = own.store.count(own.key);
    return usage.isOver ? usage : strictest([usage, ...wider.map(({ store, key }) => store.count(key))]);
  };
  /** Shares counts with other nodes and reads theirs: see `WindowStores.exchange`. */
  const exchange = (address: string): Promise<void> => stores.exchange(windowsOf(address));
  return { read, count, exchange };
}

/** The first of the usages with the least remaining. */
function strictest(usages: readonly (Usage | null)[]): Usage {
  return usages.reduce<Usage>((least, usage) => {
    if (usage === null) return least;
    const isStricter = usage.isOver === least.isOver ? usage.remaining < least.remaining : usage.isOver;
    return isStricter ? usage : least;
  }, NOTHING_USED);
}
