import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { DomainError } from '../../platform/errors.js';

/** A write that cannot begin within this time is refused with `busy`. */
export const MAX_WRITE_WAIT_MS = 5_000;
const MAX_WAITING = 1_000;

/** SQLite has one writer at a time: the others wait here in the order in which they came. */
export function createWriterSemaphore(): Semaphore {
  return new Semaphore({
    concurrency: 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busy: () => new DomainError('busy', 'The database is busy; try again in a second.', { retryAfter: 1 }),
  });
}
