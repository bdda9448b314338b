import { SECOND, type Clock } from '../clock.js';
import { FairQueue } from './semaphore.js';

/** Largest burst after a pause, as seconds of the rate: 25 at 500 a second. */
const BURST_SECONDS = 0.05;
/** Minimum delay of the timer, so that several are granted together and share database statements. */
const MIN_TIMER_MS = 25;
/** Delay after which a timer counts as late: the event loop is overloaded. */
const LATE_MS = 25;
/** Factors for the size of a burst, after a late timer and after a punctual one; `least` is its share while all are late. */
const BURST = { less: 0.5, more: 1.5, least: 0.2 } as const;

/**
 * Rate limiter: grants `perSecond` things a second, evenly. Late timers shrink the bursts, down to a fifth. Waiting
 * owners are served round-robin, however much each wants.
 */
export class DispatchRate {
  readonly #perMs: number;
  readonly #most: number;
  /** Largest burst at present. */
  #limit: number;
  #available: number;
  #countedAt: number;
  readonly #waiting = new FairQueue<unknown, { wanted: number; resolve: (granted: number) => void }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#perMs = perSecond / SECOND;
    this.#most = Math.max(1, perSecond * BURST_SECONDS);
    this.#limit = this.#most;
    this.#available = this.#most;
    this.#countedAt = clock.elapsed();
  }

  /** Resolves to the number granted, from 1 to `wanted`; 0 once the signal is aborted. */
  async take(owner: unknown, wanted: number, signal?: AbortSignal): Promise<number> {
    if (signal?.aborted === true) return 0;
    this.#count();
    if (this.#waiting.size === 0 && this.#available >= 1) return this.#grant(wanted);
    const { promise, resolve } = Promise.withResolvers<number>();
    const remove = this.#waiting.add(owner, { wanted, resolve });
    const leave = (): void => {
      if (remove()) resolve(0);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#startTimer();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #count(): void {
    const now = this.clock.elapsed();
    this.#available = Math.min(this.#limit, this.#available + (now - this.#countedAt) * this.#perMs);
    this.#countedAt = now;
  }

  #grant(wanted: number): number {
    const granted = Math.min(wanted, Math.floor(this.#available));
    this.#available -= granted;
    return granted;
  }

  #startTimer(): void {
    const missing = Math.max(0, 1 - this.#available) / this.#perMs;
    const ms = Math.max(MIN_TIMER_MS, missing);
    const dueAt = this.clock.elapsed() + ms;
    this.#timer ??= setTimeout(() => this.#serve(dueAt), ms).unref();
  }

  #serve(dueAt: number): void {
    this.#timer = undefined;
    const isLate = this.clock.elapsed() - dueAt > LATE_MS;
    const factor = isLate ? BURST.less : BURST.more;
    this.#limit = Math.max(1, this.#most * BURST.least, Math.min(this.#most, this.#limit * factor));
    this.#count();
    while (this.#available >= 1) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      next.resolve(this.#grant(next.wanted));
    }
    if (this.#waiting.size > 0) this.#startTimer();
  }
}
