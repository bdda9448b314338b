import { Turns } from '../../../platform/concurrency/turns.js';
import { DomainError } from '../../../platform/errors.js';

/** Milliseconds after which a write that could not begin is refused with `busy`. */
export const MAX_WRITE_WAIT_MS = 5_000;
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_PARTY = 1_000;

/** Queue of the units that wait to write, by party (see `Owner`). */
export type Writers = Turns<unknown>;

/**
 * SQLite has one writer at a time: parties are served round-robin, and the writers of each in the order of
 * arrival.
 */
export function createWriters(): Writers {
  return new Turns({
    ...{ places: 1, placesOfKey: 1, maxWaiting: MAX_WAITING, maxWaitingOfKey: MAX_WAITING_OF_PARTY },
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busy: () => new DomainError('busy', 'The database is busy; try again in a second.', { retryAfter: 1 }),
  });
}
