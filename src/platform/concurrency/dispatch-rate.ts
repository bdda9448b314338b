import { SECOND, type Clock } from '../clock.js';
import { Queue } from './queue.js';

interface Waiting {
  readonly wanted: number;
  readonly resolve: (granted: number) => void;
}

interface Owner {
  readonly owner: unknown;
  readonly waiting: Queue<Waiting>;
}

/** Largest burst after a pause, as seconds of the rate: 25 at 500 a second. */
const BURST_SECONDS = 0.05;
/** Minimum delay of the timer, so that several are granted together and share database statements. */
const MIN_TIMER_MS = 25;
/** Delay after which a timer counts as late: the event loop is overloaded. */
const LATE_MS = 25;
/** Factors for the size of a burst, after a late timer and after a punctual one. */
const [LESS, MORE] = [0.5, 1.5];

/**
 * Rate limiter: grants `perSecond` things a second, evenly. `room` returns the share of this rate, 0 to 1,
 * that is available now. Late timers shrink the bursts, down to one per timer. Waiting owners are served
 * round-robin, however much each wants.
 */
export class DispatchRate {
  readonly #perMs: number;
  readonly #most: number;
  /** Largest burst at present: from 1 to `#most`. */
  #limit: number;
  #available: number;
  #countedAt: number;
  readonly #owners = new Map<unknown, Owner>();
  readonly #turns = new Queue<Owner>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
    private readonly room: () => number = () => 1,
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
    if (this.#turns.size === 0 && this.#available >= 1) return this.#grant(wanted);
    return await new Promise((resolve) => {
      const own = this.#owners.get(owner) ?? { owner, waiting: new Queue<Waiting>() };
      this.#owners.set(owner, own);
      if (own.waiting.size === 0) this.#turns.add(own);
      const place = own.waiting.add({
        wanted,
        resolve: (granted) => {
          signal?.removeEventListener('abort', leave);
          resolve(granted);
        },
      });
      // `#serve` skips an owner whose queue is empty.
      const leave = (): void => {
        if (own.waiting.remove(place)) resolve(0);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#startTimer();
    });
  }

  #count(): void {
    const now = this.clock.elapsed();
    this.#available = Math.min(
      this.#limit,
      this.#available + (now - this.#countedAt) * this.#perMs * this.room(),
    );
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
    this.#limit = Math.max(1, Math.min(this.#most, this.#limit * (isLate ? LESS : MORE)));
    this.#count();
    while (this.#turns.size > 0 && this.#available >= 1) {
      const own = this.#turns.take();
      const next = own?.waiting.take();
      if (own === undefined) return;
      if (own.waiting.size > 0) this.#turns.add(own);
      else this.#owners.delete(own.owner);
      next?.resolve(this.#grant(next.wanted));
    }
    if (this.#turns.size > 0) this.#startTimer();
  }
}
