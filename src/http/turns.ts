import { HttpProblem } from './problem.js';

const RETRY_AFTER_S = 10;

/** Lets so many go on at the same time, and the others in the order in which they came. */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(
    count: number,
    private readonly waitMs: number,
  ) {
    this.#free = count;
  }

  /**
   * Answers how to give the turn back, which counts once. Rejects with 503 where none came in time, and with
   * the signal's reason where nobody waits any longer.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (held) this.#pass();
      held = false;
    };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const tooLong = setTimeout(() => reject(busy()), this.waitMs);
        const stopped = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', stopped);
        this.#waiting.add(resolve);
        leave = () => {
          clearTimeout(tooLong);
          signal.removeEventListener('abort', stopped);
          this.#waiting.delete(resolve);
        };
      });
    } finally {
      leave?.();
    }
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function busy(): HttpProblem {
  return new HttpProblem(503, 'busy', 'Too many large uploads at once; try again.', {
    'Retry-After': String(RETRY_AFTER_S),
  });
}
