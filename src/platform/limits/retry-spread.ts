import { SECOND } from '../clock.js';

export interface SpreadOptions {
  /** How many of those that were refused may come back in a second. */
  readonly perSecond: number;
  readonly leastSeconds: number;
  /** Of more than fit into this time, the next ones come back among the first ones. */
  readonly mostSeconds: number;
}

/**
 * When clients that are refused while a server is busy come back: one after the other, however many are refused at once. With
 * the same time for all, they would come back together, be refused again, and keep the server busy with refusals.
 */
export class RetrySpread {
  #next = -Infinity;

  constructor(
    private readonly options: SpreadOptions,
    private readonly clock: { elapsed(): number },
  ) {}

  /** The Retry-After of the next client that is refused, in whole seconds. */
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

/** Of terminals: a fleet of 10,000 comes back within a minute and a half. */
export const TERMINAL_RETRIES: SpreadOptions = { perSecond: 150, leastSeconds: 5, mostSeconds: 90 };
