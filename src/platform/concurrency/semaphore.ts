import { DomainError } from '../errors.js';
import { heapBytes } from '../limits/waiting-bytes.js';
import { FairQueue } from './queue.js';

/** Releases what `acquire` acquired; further calls do nothing. */
export type Release = () => void;

export interface SemaphoreLimits {
  /** Maximum number of holders at the same time, over all keys and for each key. */
  readonly places: number;
  readonly placesOfKey?: number;
  /**
   * Maximum number of waiting callers, over all keys and for each key; one more is refused at once. Unlimited
   * when absent, as are all limits but `places`.
   */
  readonly maxWaiting?: number;
  readonly maxWaitingOfKey?: number;
  /** Milliseconds after which a waiting caller is refused. */
  readonly maxWaitMs?: number;
  /** Returns the error of a refused caller. */
  readonly busy: () => Error;
}

interface Waiter<Key> {
  readonly key: Key;
  readonly resolve: (release: Release) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Counting semaphore with a bounded queue for each key, for example for each company. Keys with waiting callers
 * are served round-robin, and the callers of a key in the order of arrival. The key is null where all callers
 * are alike.
 */
export class Semaphore<Key = null> {
  readonly #held = new Map<Key, number>();
  readonly #waiting = new FairQueue<Key, Waiter<Key>>();
  #running = 0;
  #state: 'open' | 'paused' | 'ending' | 'closed' = 'open';
  /** Resolved for `pause` and `finish` when no caller holds the semaphore; null while neither waits. */
  #left: PromiseWithResolvers<undefined> | null = null;

  constructor(private readonly limits: SemaphoreLimits) {}

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves to the release once the limits allow another holder. Rejects with the limits' `busy` error, and
   * with the signal's reason when it is aborted.
   */
  async acquire(key: Key, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.#state === 'open' && this.#hasPlace(key)) return this.#enter(key);
    const { maxWaitMs, busy } = this.limits;
    if (this.#refuses(key)) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = this.#waiting.add(key, { key, resolve, reject });
    const refuse = (reason: Error): void => {
      leave();
      reject(reason);
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => refuse(busy()), maxWaitMs);
    const abort = (): void => refuse(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Runs `use` while holding the semaphore. */
  async run<T>(key: Key, use: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key);
    try {
      return await use();
    } finally {
      release();
    }
  }

  /** Admits no caller until `resume`. Resolves then, or as soon as no caller holds the semaphore. */
  async pause(): Promise<void> {
    if (this.#state === 'open') this.#state = 'paused';
    await this.#allLeft();
  }

  resume(): void {
    if (this.#state === 'paused') {
      this.#state = 'open';
      this.#endPause();
    }
    this.#serve();
  }

  /** Refuses further callers. Resolves once all earlier callers have held the semaphore and released it. */
  async finish(): Promise<void> {
    if (this.#state !== 'closed') this.#state = 'ending';
    this.#serve();
    await this.#allLeft();
  }

  /** Refuses waiting and further callers. */
  close(): void {
    this.#state = 'closed';
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      next.reject(this.limits.busy());
    }
  }

  #hasPlace(key: Key): boolean {
    const { places, placesOfKey = Infinity } = this.limits;
    return this.#running < places && (this.#held.get(key) ?? 0) < placesOfKey;
  }

  #refuses(key: Key): boolean {
    const { maxWaiting = Infinity, maxWaitingOfKey = Infinity } = this.limits;
    const isOpen = this.#state === 'open' || this.#state === 'paused';
    return !isOpen || this.#waiting.size >= maxWaiting || this.#waiting.sizeOf(key) >= maxWaitingOfKey;
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
    if (this.#running === 0) this.#endPause();
  }

  #serve(): void {
    while (this.#state !== 'paused' && this.#running < this.limits.places) {
      const next = this.#waiting.take((key) => this.#hasPlace(key));
      if (next === undefined) return;
      next.resolve(this.#enter(next.key));
    }
  }

  async #allLeft(): Promise<void> {
    if (this.#running === 0) return;
    this.#left ??= Promise.withResolvers();
    await this.#left.promise;
  }

  #endPause(): void {
    this.#left?.resolve(undefined);
    this.#left = null;
  }
}

/** Heap bytes of one operation on large records: the records, and its response as an object and as text. */
const HEAP_PER_OPERATION = 96 * 1024 * 1024;
const MAX_AT_ONCE = 16;
const MAX_WAITING = 1_000;

/** Limits the concurrent reads of large records, by company, so that together they fit into the heap. */
export function createLargeReads(): Semaphore<number> {
  const fitting = Math.floor(heapBytes() / HEAP_PER_OPERATION);
  const places = Math.min(Math.max(fitting, 1), MAX_AT_ONCE);
  return new Semaphore({ places, maxWaiting: MAX_WAITING, busy });
}

function busy(): DomainError {
  const message = 'Too many operations on large records at the same time; try again in a second.';
  return new DomainError('busy', message, { retryAfter: 1 });
}
