import type { Release } from './semaphore.js';

export interface TurnLimits {
  /** Holders at the same time, in all and of one company: one company never holds all places. */
  readonly places: number;
  readonly placesOfCompany: number;
  /** Waiting callers, in all and of one company; one more is refused at once. */
  readonly maxWaiting: number;
  readonly maxWaitingOfCompany: number;
  /** Milliseconds after which a waiting caller is refused. */
  readonly maxWaitMs: number;
  /** The error of a refused caller. */
  readonly busy: () => Error;
}

interface Queue {
  held: number;
  readonly waiting: Set<(value: undefined) => void>;
}

/**
 * Counting semaphore with a queue for each company: free places go to the companies in turn, within a company first
 * come, first served.
 */
export class Turns {
  /** Of the companies that hold a place or wait, in the order of their turns. */
  readonly #queues = new Map<number, Queue>();
  #held = 0;
  #waiting = 0;

  constructor(private readonly limits: TurnLimits) {}

  /**
   * Resolves to the release once there is a place for the company. Rejects with the limits' `busy` error when a queue
   * is full or the wait too long, and with the signal's reason when it is aborted.
   */
  async acquire(company: number, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const queue = this.#queues.get(company) ?? { held: 0, waiting: new Set() };
    if (this.#hasPlace(queue)) this.#take(company, queue);
    else await this.#wait(company, queue, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave(company, queue);
      isHeld = false;
    };
  }

  #hasPlace({ held }: Queue): boolean {
    return this.#held < this.limits.places && held < this.limits.placesOfCompany;
  }

  /** After it, all others have their turns. */
  #take(company: number, queue: Queue): void {
    queue.held += 1;
    this.#held += 1;
    this.#queues.delete(company);
    this.#queues.set(company, queue);
  }

  async #wait(company: number, queue: Queue, signal: AbortSignal): Promise<void> {
    const { maxWaiting, maxWaitingOfCompany, maxWaitMs, busy } = this.limits;
    if (this.#waiting >= maxWaiting || queue.waiting.size >= maxWaitingOfCompany) throw busy();
    this.#queues.set(company, queue);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => reject(busy()), maxWaitMs);
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    queue.waiting.add(resolve);
    this.#waiting += 1;
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (queue.waiting.delete(resolve)) this.#waiting -= 1;
      this.#forget(company, queue);
    }
  }

  #leave(company: number, queue: Queue): void {
    queue.held -= 1;
    this.#held -= 1;
    for (const [next, waiting] of this.#queues) {
      const [resolve] = waiting.waiting;
      if (resolve === undefined || !this.#hasPlace(waiting)) continue;
      waiting.waiting.delete(resolve);
      this.#waiting -= 1;
      this.#take(next, waiting);
      resolve(undefined);
      break;
    }
    this.#forget(company, queue);
  }

  #forget(company: number, queue: Queue): void {
    if (queue.held === 0 && queue.waiting.size === 0) this.#queues.delete(company);
  }
}
