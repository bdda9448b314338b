import { DomainError } from '../../../platform/errors.js';

/** How long a unit that examines many rows may read, in milliseconds. */
export const MAX_EXAMINING_MS = 5_000;

export function deadlineExceeded(): DomainError {
  return new DomainError(
    'deadline_exceeded',
    'Reading this took too long: too many records had to be examined. Narrow it down, for example by a shorter time range or fewer filters.',
    { retryAfter: 10 },
  );
}
