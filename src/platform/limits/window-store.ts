import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

import type { Clock } from '../clock.js';

/**
 * Counts events by key in windows of a fixed length, each of which begins with the first event of its key. The stores of
 * rate-limiter-flexible have this form, those shared by several servers too.
 */
export type WindowStore = Pick<RateLimiterAbstract, 'penalty' | 'get'>;

export interface WindowLimits {
  /** Events in a window that are within the limit. */
  readonly points: number;
  readonly windowMs: number;
  /** Keys kept in memory. */
  readonly maxKeys: number;
}

interface Window {
  count: number;
  /** In the time of `clock.elapsed()`. */
  readonly endsAt: number;
}

const SWEEPS_IN_A_WINDOW = 60;

/**
 * A store in memory with at most `maxKeys` windows. Keys without an event for the longest time make room for new ones,
 * but none whose limit is used up; at least half of the others stay. If all limits are used up, the events of new keys
 * are counted together. Every step takes constant time, which a `Map` in the order of use does not.
 */
export class BoundedWindowStore implements WindowStore {
  readonly #limits: WindowLimits;
  readonly #clock: Clock;
  #recent = new Map<string, Window>();
  /** Without an event since `#recent` was begun. */
  #older = new Map<string, Window>();
  /** Those whose limit is used up. */
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

  penalty(key: string | number): Promise<RateLimiterRes> {
    const name = String(key);
    const window = this.#current(name) ?? this.#begin();
    window.count += 1;
    if (window !== this.#others) this.#keep(name, window);
    return Promise.resolve(this.#stateOf(window));
  }

  get(key: string | number): Promise<RateLimiterRes | null> {
    const window = this.#current(String(key));
    return Promise.resolve(window === undefined ? null : this.#stateOf(window));
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

  /** Often enough for ended windows to make room soon, and seldom enough to cost nothing. */
  #sweep(): void {
    for (const [name, window] of this.#full) if (this.#hasEnded(window)) this.#full.delete(name);
    this.#sweepsAt = this.#clock.elapsed() + this.#limits.windowMs / SWEEPS_IN_A_WINDOW;
  }

  #newWindow(): Window {
    return { count: 0, endsAt: this.#clock.elapsed() + this.#limits.windowMs };
  }

  #hasEnded({ endsAt }: Window): boolean {
    return endsAt <= this.#clock.elapsed();
  }

  #stateOf({ count, endsAt }: Window): RateLimiterRes {
    const remaining = Math.max(0, this.#limits.points - count);
    return new RateLimiterRes(remaining, endsAt - this.#clock.elapsed(), count, count === 1);
  }
}
