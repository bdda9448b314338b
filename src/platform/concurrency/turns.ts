import { Queue, type Place } from './queue.js';
import type { Release } from './semaphore.js';

export interface TurnLimits {
  /** Maximum number of holders at the same time, over all keys and for each key. */
  readonly places: number;
  readonly placesOfKey: number;
  /** Maximum number of waiting callers, over all keys and for each key; one more is refused at once. */
  readonly maxWaiting: number;
  readonly maxWaitingOfKey: number;
  /** Milliseconds after which a waiting caller is refused. */
  readonly maxWaitMs: number;
  /** Returns the error of a refused caller. */
  readonly busy: () => Error;
}

interface Waiter {
  readonly resolve: (release: Release) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A semaphore with a bounded queue for each key, for example for each company. Keys with waiting callers are
 * served round-robin.
 */
export class Turns<Key> {
  readonly #held = new Map<Key, number>();
  /** Waiting callers by key, in the order in which the keys are served. */
  readonly #waiting = new Map<Key, Queue<Waiter>>();
  #running = 0;
  #queued = 0;
  #state: 'open' | 'paused' | 'ending' | 'closed' = 'open';
  /** Resolved for `pause` and `finish` when no caller holds the semaphore; null while neither waits. */
  #left: PromiseWithResolvers<undefined> | null = null;

  constructor(private readonly limits: TurnLimits) {}

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queued;
  }

  /** The release, if the semaphore can be held at once; otherwise null. */
  enterNow(key: Key): Release | null {
    return this.#state === 'open' && this.#hasPlace(key) ? this.#enter(key) : null;
  }

  /**
   * Resolves to the release once the limits allow another holder. Rejects with the limits' `busy` error, and
   * with the signal's reason when it is aborted.
   */
  async acquire(key: Key, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.#state === 'open' && this.#hasPlace(key)) return this.#enter(key);
    const { maxWaiting, maxWaitingOfKey, maxWaitMs, busy } = this.limits;
    const own = this.#waiting.get(key)?.size ?? 0;
    const isOpen = this.#state === 'open' || this.#state === 'paused';
    if (!isOpen || own >= maxWaitingOfKey || this.#queued >= maxWaiting) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const waiter: Waiter = { resolve, reject };
    const place = this.#add(key, waiter);
    const refuse = (reason: Error): void => {
      this.#remove(key, place);
      reject(reason);
    };
    const timer = setTimeout(() => refuse(busy()), maxWaitMs);
    const abort = (): void => refuse(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Admits no caller until `resume`. Resolves then, or as soon as no caller holds the semaphore. */
  async pause(): Promise<void> {
    if (this.#state === 'open') this.#state = 'paused';
    await this.#allLeft();
  }

  /** Refuses further callers. Resolves once all earlier callers have held the semaphore and released it. */
  async finish(): Promise<void> {
    if (this.#state !== 'closed') this.#state = 'ending';
    this.#serve();
    await this.#allLeft();
  }

  resume(): void {
    if (this.#state === 'paused') {
      this.#state = 'open';
      this.#endWaiting();
    }
    this.#serve();
  }

  /** Refuses waiting and further callers. */
  close(): void {
    this.#state = 'closed';
    for (const waiters of this.#waiting.values()) {
      for (let next = waiters.take(); next !== undefined; next = waiters.take())
        next.reject(this.limits.busy());
    }
    this.#waiting.clear();
    this.#queued = 0;
  }

  async #allLeft(): Promise<void> {
    if (this.#running === 0) return;
    this.#left ??= Promise.withResolvers();
    await this.#left.promise;
  }

  #hasPlace(key: Key): boolean {
    if (this.#running >= this.limits.places) return false;
    return (this.#held.get(key) ?? 0) < this.limits.placesOfKey;
  }

  #enter(key: Key): Release {
    this.#running += 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave(key);
      isHeld = false;
    };
  }

  #leave(key: Key): void {
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left === 0) this.#held.delete(key);
    else this.#held.set(key, left);
    this.#running -= 1;
    this.#serve();
    if (this.#running === 0) this.#endWaiting();
  }

  #endWaiting(): void {
    this.#left?.resolve(undefined);
    this.#left = null;
  }

  /** A key that was served moves to the end of the Map, where this loop visits it again. */
  #serve(): void {
    if (this.#state === 'paused') return;
    for (const [key, waiters] of this.#waiting) {
      if (!this.#hasPlace(key)) continue;
      const next = waiters.take();
      if (next === undefined) continue;
      this.#queued -= 1;
      this.#waiting.delete(key);
      if (waiters.size > 0) this.#waiting.set(key, waiters);
      next.resolve(this.#enter(key));
    }
  }

  #add(key: Key, waiter: Waiter): Place<Waiter> {
    const waiters = this.#waiting.get(key) ?? new Queue();
    this.#waiting.set(key, waiters);
    this.#queued += 1;
    return waiters.add(waiter);
  }

  #remove(key: Key, place: Place<Waiter>): void {
    const waiters = place.queue;
    if (waiters?.remove(place) !== true) return;
    this.#queued -= 1;
    if (waiters.size === 0) this.#waiting.delete(key);
  }
}
