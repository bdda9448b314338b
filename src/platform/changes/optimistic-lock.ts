import { DomainError } from '../errors.js';

/**
 * Optimistic locking: refuses to change a record that was changed since the client read it. `current` identifies the
 * state of the record, usually by its `revision`: for a hash of the response, a file of 32 MiB would have to be rendered.
 * `accepted` are the states in which the client wants it changed; null means any. To be called in the transaction of the
 * change. Errors: `stale`.
 */
export function demandUnchanged<State>(
  current: State,
  accepted: readonly State[] | null,
  message: string,
): void {
  if (accepted !== null && !accepted.includes(current)) throw new DomainError('stale', message);
}
