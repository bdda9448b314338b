/** Entry of a queue, a linked list. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | null;
  after: Place<T> | null;
  /** Null once the entry was removed. */
  queue: Queue<T> | null;
}

/**
 * First in, first out, as a linked list; values can also be removed from the middle. A Map or Set would keep
 * removed entries in memory, because V8 links its old tables to the new one: 8 KB for each waiting request
 * until the whole heap was collected.
 */
export class Queue<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The value that has waited longest; undefined if the queue is empty. */
  get first(): T | undefined {
    return this.#first?.value;
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

  /** Removes and returns the first value. */
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

  /** Number of values, over all keys. */
  get size(): number {
    return this.#size;
  }

  sizeOf(key: Key): number {
    return this.#queues.get(key)?.size ?? 0;
  }

  /** Returns a function that removes the value; it returns false if the value has left before. */
  add(key: Key, value: T): () => boolean {
    const own = this.#queues.get(key) ?? new Queue<T>();
    this.#queues.set(key, own);
    this.#size += 1;
    const place = own.add(value);
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
