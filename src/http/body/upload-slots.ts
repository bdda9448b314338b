import { SECOND } from '../../platform/clock.js';
import { Semaphore, type Release } from '../../platform/concurrency/semaphore.js';
import { HttpProblem } from '../problem.js';

export interface UploadLimits {
  readonly maxFileBytes: number;
  /** More bytes are received under a semaphore, since they are held in memory until they are stored. */
  readonly smallBytes: number;
  /** Large uploads received at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a large upload waits for the semaphore. */
  readonly maxWaitMs: number;
  /** 408 after this long without a byte from the client. */
  readonly idleMs: number;
}

const DEFAULTS = {
  smallBytes: 256 * 1024,
  concurrency: 4,
  maxWaitMs: 60 * SECOND,
  idleMs: 30 * SECOND,
} as const;

/** The place of one upload in memory. */
export interface UploadSlot {
  /** Waits for the semaphore; called once, when the upload turns out to be large. Errors: 503. */
  readonly enter: () => Promise<void>;
  /** Leaves the semaphore, also if `enter` is still waiting. */
  readonly release: () => void;
}

/** Limits the large uploads of the whole server, whatever form they have: one object for all surfaces. */
export class UploadSlots {
  readonly limits: UploadLimits;
  readonly #semaphore: Semaphore;

  constructor(given: Pick<UploadLimits, 'maxFileBytes'> & Partial<UploadLimits>) {
    this.limits = { ...DEFAULTS, ...given };
    this.#semaphore = new Semaphore({ ...this.limits, busy: tooManyLargeUploads });
  }

  /** @param stop ends the waiting, with its reason as the error. */
  open(stop: AbortSignal): UploadSlot {
    let leave: Release | undefined;
    let isReleased = false;
    return {
      enter: async () => {
        leave = await this.#semaphore.acquire(stop);
        if (isReleased) leave();
      },
      release: () => {
        isReleased = true;
        leave?.();
      },
    };
  }
}

function tooManyLargeUploads(): HttpProblem {
  return new HttpProblem(503, 'busy', 'Too many large uploads at the same time; try again in 10 seconds.', {
    'Retry-After': '10',
  });
}

/** @param what for example `The file`. */
export function largerThan(maxBytes: number, what: string): HttpProblem {
  return new HttpProblem(413, 'too_large', `${what} is larger than ${maxBytes} bytes.`);
}
