import { DomainError } from '../errors.js';

/**
 * Optimistic locking: refuses to change a record that was changed since the client read it. `current` is the
 * state of the record, usually its `revision`; a hash of the response would require rendering a file of 32
 * MiB. `accepted` are the states for which the client allows the change; null allows any. Must be called in
 * the transaction of the change. Errors: `stale`.
 */
export function demandUnchanged<State>(
  current: State,
  accepted: readonly State[] | null,
  message: string,
): void {
  if (accepted !== null && !accepted.includes(current)) throw new DomainError('stale', message);
}
