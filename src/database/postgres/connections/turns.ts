import { SECOND, systemClock } from '../../../platform/clock.js';

/** Companies for which this node waits, because another node is changing them. */
export class Turns {
  /** When the first change of a company asked PostgreSQL for its turn; later ones queue on this node. */
  readonly #since = new Map<number, number>();

  /** To be called when a change asks for its turn; the returned function when it has it, or is refused. */
  readonly wait = (companyId: number): (() => void) => {
    this.#since.set(companyId, systemClock.elapsed());
    return () => this.#since.delete(companyId);
  };

  /** Companies that have waited for a second or more; `longestMs` is 0 if there are none. */
  long(): { readonly companies: number; readonly longestMs: number } {
    const now = systemClock.elapsed();
    const long = [...this.#since.values()].map((since) => now - since).filter((ms) => ms >= SECOND);
    return { companies: long.length, longestMs: Math.max(0, ...long) };
  }
}
