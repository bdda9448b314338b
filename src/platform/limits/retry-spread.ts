import { SECOND } from '../clock.js';

export interface SpreadOptions {
  /** Refused clients that may retry per second. */
  readonly perSecond: number;
  readonly leastSeconds: number;
  /**
   * Longest delay. If it is exceeded, delays begin again at `leastSeconds`, at the same times as earlier
   * ones.
   */
  readonly mostSeconds: number;
}

/**
 * Spreads the retries of clients that are refused while a server is busy: one after the other, however many
 * are refused at once. With one delay for all, they would retry together, be refused again, and keep the
 * server busy with refusals.
 */
export class RetrySpread {
  #next = -Infinity;

  constructor(
    private readonly options: SpreadOptions,
    private readonly clock: { elapsed(): number },
  ) {}

  /** Retry-After of the next refused client, in whole seconds. */
  seconds(): number {
    const { perSecond, leastSeconds, mostSeconds } = this.options;
    const now = this.clock.elapsed();
    const first = now + leastSeconds * SECOND;
    const isFull = this.#next > now + mostSeconds * SECOND;
    this.#next = isFull ? first : Math.max(first, this.#next);
    const seconds = Math.ceil((this.#next - now) / SECOND);
    this.#next += SECOND / perSecond;
    return Math.min(seconds, mostSeconds);
  }
}

/** Retries of terminals: a fleet of 10,000 has retried within 90 seconds. */
export const TERMINAL_RETRIES: SpreadOptions = { perSecond: 150, leastSeconds: 5, mostSeconds: 90 };
