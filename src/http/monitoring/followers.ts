import { SECOND, type Clock } from '../../platform/clock.js';

/** When the oldest record was committed that a subscriber has not been given, in `elapsed` milliseconds; null if none. */
export type WaitingSince = () => number | null;

/** Live subscriptions, and how far they are behind what is committed. */
export class Followers {
  readonly #all = new Set<WaitingSince>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Until the returned function is called. */
  readonly follow = (waitingSince: WaitingSince): (() => void) => {
    this.#all.add(waitingSince);
    return () => this.#all.delete(waitingSince);
  };

  /** The delay of the one that is most behind, in seconds; 0 if none is. */
  delaySeconds(): number {
    const now = this.clock.elapsed();
    let oldest = now;
    for (const waitingSince of this.#all) oldest = Math.min(oldest, waitingSince() ?? now);
    return (now - oldest) / SECOND;
  }
}
