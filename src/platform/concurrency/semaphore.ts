/** Releases what `acquire` acquired; further calls do nothing. */
export type Release = () => void;

export interface SemaphoreLimits {
  /** Maximum number of holders at the same time, over all keys and for each key. */
  readonly places: number;
  readonly placesOfKey?: number;
  /** Maximum waiting callers, over all keys and for each key; one more is refused at once. Infinite when absent. */
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
 * Counting semaphore with a bounded queue for each key, for example for each company. Keys with waiting callers are
 * served round-robin, and the callers of a key in the order of arrival. The key is null where all callers are alike.
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

  /** Resolves to the release. Errors: `busy` of the limits, and the reason of the signal when it is aborted. */
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

/** Entry of a queue, a linked list. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | null;
  after: Place<T> | null;
  /** Null once the entry was removed. */
  queue: Queue<T> | null;
}

/**
 * First in, first out, as a linked list; values can be removed from the middle. V8 links the tables of a Map or Set:
 * they would keep 8 KB for each waiting request until the whole heap was collected.
 */
export class Queue<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** In order; the current entry may be removed meanwhile. */
  *places(): Generator<Place<T>> {
    for (let place = this.#first; place !== null;) {
      const { after } = place;
      yield place;
      place = after;
    }
  }

  add(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, after: null, queue: this };
    if (this.#last === null) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  addFirst(value: T): Place<T> {
    const place: Place<T> = { value, before: null, after: this.#first, queue: this };
    if (this.#first === null) this.#last = place;
    else this.#first.before = place;
    this.#first = place;
    this.#size += 1;
    return place;
  }

  take(): T | undefined {
    const place = this.#first;
    if (place === null) return undefined;
    this.remove(place);
    return place.value;
  }

  /** False if the value was already removed. */
  remove(place: Place<T>): boolean {
    if (place.queue !== this) return false;
    const { before, after } = place;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // A reference to a removed entry must not keep its neighbours in memory.
    place.before = null;
    place.after = null;
    place.queue = null;
    this.#size -= 1;
    return true;
  }
}

/** A queue for each key, for example for each company. Keys take turns, however many values one of them has. */
export class FairQueue<Key, T> {
  /** Queues that are not empty, in the order in which they have their turn. */
  readonly #queues = new Map<Key, Queue<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(key: Key): number {
    return this.#queues.get(key)?.size ?? 0;
  }

  /** Returns a function that removes the value; it returns false if the value has left before. */
  add(key: Key, value: T, isFirst = false): () => boolean {
    const own = this.#queues.get(key) ?? new Queue<T>();
    this.#queues.set(key, own);
    this.#size += 1;
    const place = isFirst ? own.addFirst(value) : own.add(value);
    return () => {
      if (!own.remove(place)) return false;
      this.#size -= 1;
      if (own.size === 0) this.#queues.delete(key);
      return true;
    };
  }

  /** Removes and returns the next value whose key is ready; undefined if there is none. */
  take(isReady: (key: Key) => boolean = () => true): T | undefined {
    for (const [key, own] of this.#queues) {
      if (!isReady(key)) continue;
      this.#size -= 1;
      // Moves the key to the end of the Map.
      this.#queues.delete(key);
      if (own.size > 1) this.#queues.set(key, own);
      return own.take();
    }
    return undefined;
  }
}
