import { DomainError } from '../../platform/errors.js';

/** A write that cannot begin for this long is refused, so that nobody waits in vain. */
export const LONGEST_WAIT_MS = 5_000;
const MOST_WAITING = 1_000;

function busy(): DomainError {
  return new DomainError('busy', 'The database is busy; try again.', { retryAfter: 1 });
}

/** Writers take turns, one at a time, in the order in which they came. */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #taken = false;
  #closed = false;

  /** Resolves when it is the caller's turn, who then owes a `pass`. Errors: `busy`. */
  async take(): Promise<void> {
    if (this.#closed || this.#waiting.size >= MOST_WAITING) throw busy();
    await this.#wait();
  }

  /** Ends a turn: whoever waits longest is next. */
  pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Refuses who comes from now on, and resolves after all who came before. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#wait();
  }

  async #wait(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(busy());
      }, LONGEST_WAIT_MS);
      this.#waiting.add(go);
    });
  }
}
