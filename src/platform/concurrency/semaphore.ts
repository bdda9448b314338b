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
