/** Where a value is in a queue. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | null;
  after: Place<T> | null;
  /** Null once the value has left. */
  queue: Queue<T> | null;
}

/**
 * First in, first out; a value can also leave from the middle. For what waits: a Map or Set whose entries come and go
 * keeps those that have left in memory, since V8 links each of its old tables with the next one. With all that a
 * waiting request refers to, that was 8 KB for each request, until the whole heap is collected.
 */
export class Queue<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The value that has waited longest; undefined if there is none. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  /** In order; the current one may be removed meanwhile. */
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

  /** False if the value has left already. */
  remove(place: Place<T>): boolean {
    if (place.queue !== this) return false;
    const { before, after } = place;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // A place that is kept somewhere keeps no others.
    place.before = null;
    place.after = null;
    place.queue = null;
    this.#size -= 1;
    return true;
  }
}
