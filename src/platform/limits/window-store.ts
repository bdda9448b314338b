import type { Clock } from '../clock.js';

/** Count of a key in its window, with the names that rate-limiter-flexible uses. */
export interface WindowCount {
  readonly consumedPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

/**
 * Counts events by key in windows of a fixed length; a window begins with the first event of its key. The
 * stores of rate-limiter-flexible have this interface too, including those shared by several servers.
 */
export interface WindowStore {
  /** Counts an event. */
  penalty(key: string): Promise<WindowCount>;
  /** Null if the key has no window of its own. */
  get(key: string): Promise<WindowCount | null>;
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

/** State of a window as this node knows it. */
export interface WindowState {
  readonly count: number;
  /** Events in `count` that other nodes do not know yet. */
  readonly unshared: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

const SWEEPS_IN_A_WINDOW = 60;

/**
 * A store in memory with at most `maxKeys` windows. New keys replace those without an event for the longest
 * time, but never a key whose limit is used up; at least half of the others stay. If all limits are used up,
 * the events of new keys are counted in one common window. Every operation takes constant time; with a `Map`
 * in the order of use it would not.
 */
export class BoundedWindowStore implements WindowStore {
  readonly #limits: WindowLimits;
  readonly #clock: Clock;
  #recent = new Map<string, Window>();
  /** Windows without an event since `#recent` was created. */
  #older = new Map<string, Window>();
  /** Windows whose limit is used up. */
  readonly #full = new Map<string, Window>();
  #others: Window;
  #sweepsAt: number;

  constructor(limits: WindowLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#others = this.#newWindow();
    this.#sweepsAt = this.#others.endsAt;
  }

  /** Number of windows in memory. */
  get size(): number {
    return this.#recent.size + this.#older.size + this.#full.size;
  }

  penalty(name: string): Promise<WindowCount> {
    const window = this.#current(name) ?? this.#begin();
    window.count += 1;
    window.unshared += 1;
    if (window !== this.#others) this.#keep(name, window);
    return Promise.resolve(this.#stateOf(window));
  }

  get(key: string): Promise<WindowCount | null> {
    const window = this.#current(key);
    return Promise.resolve(window === undefined ? null : this.#stateOf(window));
  }

  /** Null if the key has no window of its own. */
  read(key: string): WindowState | null {
    const window = this.#current(key);
    if (window === undefined) return null;
    return { count: window.count, unshared: window.unshared, msLeft: window.endsAt - this.#clock.elapsed() };
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
    window.endsAt = Math.min(window.endsAt, this.#clock.elapsed() + msLeft);
    this.#keep(key, window);
  }

  #current(name: string): Window | undefined {
    const window = this.#recent.get(name) ?? this.#older.get(name) ?? this.#full.get(name);
    if (window === undefined || !this.#hasEnded(window)) return window;
    for (const windows of [this.#recent, this.#older, this.#full]) windows.delete(name);
    return undefined;
  }

  #begin(): Window {
    if (this.#clock.elapsed() >= this.#sweepsAt) this.#sweep();
    if (this.size >= this.#limits.maxKeys) this.#forgetOlder();
    if (this.size < this.#limits.maxKeys) return this.#newWindow();
    if (this.#hasEnded(this.#others)) this.#others = this.#newWindow();
    return this.#others;
  }

  #keep(name: string, window: Window): void {
    if (window.count >= this.#limits.points) {
      this.#recent.delete(name);
      this.#older.delete(name);
      this.#full.set(name, window);
    } else if (!this.#recent.has(name)) {
      this.#older.delete(name);
      if (this.#recent.size * 2 >= this.#limits.maxKeys - this.#full.size) this.#forgetOlder();
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
    this.#sweepsAt = this.#clock.elapsed() + this.#limits.windowMs / SWEEPS_IN_A_WINDOW;
  }

  #newWindow(): Window {
    return { count: 0, unshared: 0, endsAt: this.#clock.elapsed() + this.#limits.windowMs };
  }

  #hasEnded({ endsAt }: Window): boolean {
    return endsAt <= this.#clock.elapsed();
  }

  #stateOf({ count, endsAt }: Window): WindowCount {
    return { consumedPoints: count, msBeforeNext: endsAt - this.#clock.elapsed() };
  }
}
