import { DomainError } from '../errors.js';

/** Lets a few do something costly at a time; the next ones wait, and beyond those nobody does. */
export interface Turns {
  /** Errors: `busy` where too many wait already. */
  take<T>(use: () => Promise<T>): Promise<T>;
}

const RETRY_AFTER_SECONDS = 1;

export function createTurns(atOnce: number, waiting: number): Turns {
  const queue: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (queue.length >= waiting) {
      throw new DomainError('busy', 'Too many are being served; try again.', {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    take: async (use) => {
      await enter();
      try {
        return await use();
      } finally {
        leave();
      }
    },
  };
}
