import { DomainError } from '../errors.js';

/**
 * Optimistic locking: refuses to change a record that was changed since the client read it. `current` identifies the
 * state of the record, and `accepted` the states in which the client wants it changed; null means any. To be called in
 * the transaction of the change. Errors: `stale`.
 */
export function demandUnchanged<State>(
  current: State,
  accepted: readonly State[] | null,
  message: string,
): void {
  if (accepted !== null && !accepted.includes(current)) throw new DomainError('stale', message);
}
