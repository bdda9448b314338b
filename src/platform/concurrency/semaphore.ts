import { DomainError } from '../errors.js';
import { heapBytes } from '../limits/waiting-bytes.js';
import { Queue } from './queue.js';

/** Releases what `acquire` acquired; further calls do nothing. */
export type Release = () => void;

export interface SemaphoreLimits {
  /** Maximum number of holders at the same time. */
  readonly concurrency: number;
  /** Maximum number of waiting callers; one more is refused at once. Unlimited when absent. */
  readonly maxWaiting?: number;
  /** Milliseconds after which a waiting caller is refused. Unlimited when absent. */
  readonly maxWaitMs?: number;
  /** Returns the error of a refused caller. */
  readonly busy: () => Error;
}

/** Counting semaphore with a bounded queue, first come, first served. */
export class Semaphore {
  readonly #waiting = new Queue<() => void>();
  #held = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * Resolves to the release once there are fewer holders than the limit. Rejects with the limits' `busy`
   * error when the queue is full or the wait too long, and with the signal's reason when it is aborted.
   */
  async acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.#isFull()) throw this.limits.busy();
    await this.#enter(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave();
      isHeld = false;
    };
  }

  /** Runs `use` while holding the semaphore. */
  async run<T>(use: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await use();
    } finally {
      release();
    }
  }

  #isFull(): boolean {
    const { concurrency, maxWaiting = Infinity } = this.limits;
    return this.#held >= concurrency && this.#waiting.size >= maxWaiting;
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    if (this.#held < this.limits.concurrency) {
      this.#held += 1;
      return;
    }
    const { maxWaitMs, busy } = this.limits;
    let stopWaiting = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = maxWaitMs === undefined ? undefined : setTimeout(() => reject(busy()), maxWaitMs);
        const abort = (): void => reject(signal?.reason as Error);
        signal?.addEventListener('abort', abort);
        const place = this.#waiting.add(resolve);
        stopWaiting = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          this.#waiting.remove(place);
        };
      });
    } finally {
      stopWaiting();
    }
  }

  /** Releases to the caller that has waited longest. */
  #leave(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#held -= 1;
    else next();
  }
}

/** Heap bytes of one operation on large records: the records, and its response as an object and as text. */
const HEAP_PER_OPERATION = 96 * 1024 * 1024;
const MAX_AT_ONCE = 16;
const MAX_WAITING = 1_000;

/** Limits the number of concurrent reads of large records, so that together they fit into the heap. */
export function createLargeReads(): Semaphore {
  const fitting = Math.floor(heapBytes() / HEAP_PER_OPERATION);
  const concurrency = Math.min(Math.max(fitting, 1), MAX_AT_ONCE);
  return new Semaphore({ concurrency, maxWaiting: MAX_WAITING, busy });
}

function busy(): DomainError {
  const message = 'Too many operations on large records at the same time; try again in a second.';
  return new DomainError('busy', message, { retryAfter: 1 });
}
