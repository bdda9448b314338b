import type { Clock } from '../clock.js';
import { clientNetwork, widerNetworks } from '../network.js';

/** State of a window as this node knows it. */
export interface WindowState {
  readonly count: number;
  /** Events in `count` that other nodes do not know yet. */
  readonly unshared: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Counts events by key in windows of a fixed length; a window begins with the first event of its key. */
export interface WindowStore {
  /** Counts an event. */
  count(key: string): WindowState;
  /** Null if the key has no window of its own. */
  read(key: string): WindowState | null;
}

export interface WindowLimits {
  /** Maximum events in a window. */
  readonly points: number;
  readonly windowMs: number;
  /** Maximum keys in memory. */
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
  /**
   * Shares the counts of these keys with other nodes, and reads theirs. Takes at most 250 ms; never rejects.
   */
  exchange(keys: readonly WindowKey[]): Promise<void>;
}

interface Window {
  count: number;
  /** Events in `count` that other nodes do not know yet. */
  unshared: number;
  /** Milliseconds on the clock of `clock.elapsed()`. */
  endsAt: number;
}

/** Stores in the memory of this node only. */
export function inMemory(clock: Clock): WindowStores {
  return {
    open: (limits) => new BoundedWindowStore(limits, clock),
    exchange: () => Promise.resolve(),
  };
}

const SWEEPS_IN_A_WINDOW = 60;

/**
 * A store in memory with at most `maxKeys` windows. New keys replace those without an event for the longest
 * time, but never a key whose limit is used up; at least half of the others stay. If all limits are used up,
 * the events of new keys are counted in one common window. Every operation takes constant time; with a `Map`
 * in the order of use it would not.
 */
export class BoundedWindowStore implements WindowStore {
  #recent = new Map<string, Window>();
  /** Windows without an event since `#recent` was created. */
  #older = new Map<string, Window>();
  /** Windows whose limit is used up. */
  readonly #full = new Map<string, Window>();
  #others: Window;
  #sweepsAt: number;

  constructor(
    private readonly limits: WindowLimits,
    private readonly clock: Clock,
  ) {
    this.#others = this.#newWindow();
    this.#sweepsAt = this.#others.endsAt;
  }

  /** Number of windows in memory. */
  get size(): number {
    return this.#recent.size + this.#older.size + this.#full.size;
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

  #current(name: string): Window | undefined {
    const window = this.#recent.get(name) ?? this.#older.get(name) ?? this.#full.get(name);
    if (window === undefined || !this.#hasEnded(window)) return window;
    for (const windows of [this.#recent, this.#older, this.#full]) windows.delete(name);
    return undefined;
  }

  #begin(): Window {
    if (this.clock.elapsed() >= this.#sweepsAt) this.#sweep();
    if (this.size >= this.limits.maxKeys) this.#forgetOlder();
    if (this.size < this.limits.maxKeys) return this.#newWindow();
    if (this.#hasEnded(this.#others)) this.#others = this.#newWindow();
    return this.#others;
  }

  #keep(name: string, window: Window): void {
    if (window.count >= this.limits.points) {
      this.#recent.delete(name);
      this.#older.delete(name);
      this.#full.set(name, window);
    } else if (!this.#recent.has(name)) {
      this.#older.delete(name);
      if (this.#recent.size * 2 >= this.limits.maxKeys - this.#full.size) this.#forgetOlder();
      this.#recent.set(name, window);
    }
  }

  #forgetOlder(): void {
    this.#older = this.#recent;
    this.#recent = new Map();
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
    return { count, unshared, msLeft: endsAt - this.clock.elapsed() };
  }
}

/** Usage of the limit of a network. */
export interface Usage {
  readonly remaining: number;
  /** Whether the limit is used up: the next event exceeds it. */
  readonly isFull: boolean;
  readonly isOver: boolean;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

interface CounterLimits {
  /** Name of the counted event, for example `sign-in`. */
  readonly name: string;
  /** Maximum events of one client in a window. */
  readonly points: number;
  readonly windowMs: number;
}

/** Counts events by the network of a client, and by the wider networks around it (contract 14). */
export interface NetworkCounter {
  /** Counts one event. Returns the usage of the strictest limit. */
  count(address: string): Usage;
  read(address: string): Usage;
  /** Shares counts with other nodes and reads theirs: see `WindowStores.exchange`. */
  exchange(address: string): Promise<void>;
}

/**
 * Limits of a client, of a /48 and of a /32 network, as multiples of one client's limit. Lower ones would affect
 * all customers of a provider.
 */
const CLIENTS = [1, 64, 4_096];

/** Maximum keys in each of the three stores; about 10 MB. */
const MAX_KEYS = 50_000;

const NOTHING_USED: Usage = { remaining: Infinity, isFull: false, isOver: false, msLeft: 0 };

export function createNetworkCounter(
  { name, points, windowMs }: CounterLimits,
  stores: WindowStores,
): NetworkCounter {
  const all = CLIENTS.map((clients) => {
    const limits = { name: `${name} ${clients}`, points: points * clients, windowMs, maxKeys: MAX_KEYS };
    return { ...limits, store: stores.open(limits) };
  });
  /** The limits of an address, each with the network that is its key; IPv4 addresses have the first one only. */
  const limitsOf = (address: string): readonly Limit[] => {
    const networks = [clientNetwork(address), ...widerNetworks(address)];
    return all.flatMap((limit, n) => (networks[n] === undefined ? [] : [{ ...limit, key: networks[n] }]));
  };
  return {
    read: (address) => strictest(limitsOf(address).map(read)),
    count: (address) => {
      const [own, ...wider] = limitsOf(address);
      // An event that one limit refuses is not counted against others, so that a client over its limit does
      // not use up the limits of its neighbours.
      const around = strictest(wider.map(read));
      if (around.isFull || own === undefined) return { ...around, isOver: true };
      const usage = count(own);
      return usage.isOver ? usage : strictest([usage, ...wider.map(count)]);
    },
    exchange: (address) => stores.exchange(limitsOf(address)),
  };
}

interface Limit extends NamedLimits {
  readonly store: WindowStore;
  readonly key: string;
}

function count({ points, store, key }: Limit): Usage {
  return usageOf(points, store.count(key));
}

function read({ points, store, key }: Limit): Usage {
  const state = store.read(key);
  return state === null ? NOTHING_USED : usageOf(points, state);
}

function usageOf(points: number, { count: events, msLeft }: WindowState): Usage {
  return {
    remaining: Math.max(0, points - events),
    isFull: events >= points,
    isOver: events > points,
    msLeft,
  };
}

/** The first of the usages with the least remaining. */
function strictest(usages: readonly Usage[]): Usage {
  return usages.reduce((least, usage) => (isStricter(usage, least) ? usage : least), NOTHING_USED);
}

const isStricter = (one: Usage, other: Usage): boolean =>
  one.isOver !== other.isOver ? one.isOver : one.remaining < other.remaining;
