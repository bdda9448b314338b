import type { List } from '../../../database/list/list.js';
import type { EntityTypeName, ReadWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import type { Ids } from '../../../platform/validate.js';
import { selectAround, selectPosition } from './past.repository.js';
import { selectDeleted } from './retention.repository.js';

export { selectChangesOf as changesUntil, selectDeletedAfter as idsDeletedAfter } from './past.repository.js';

/** Sequence of the last change until a time; 0 if there was none. Errors: `invalid` for a time before retention. */
export async function positionAt(work: ReadWork, at: Date): Promise<number> {
  const { upTo, newestAt } = (await selectDeleted(work)).ledger;
  if (newestAt !== null && at < newestAt) {
    const message = `The ledger is kept from ${newestAt.toISOString()} on: retention has deleted earlier entries. Ask for a later time.`;
    throw new DomainError('invalid', message);
  }
  return (await selectPosition(work, at)) ?? upTo;
}

/** A record as it was, and the sequence of the last change until then; null if retention has deleted that entry. */
export interface PastRecord<T> {
  readonly state: T;
  readonly last: number | null;
}

/**
 * Records as they were at a position of the ledger, by id; absent if they did not exist then. Each is the record before
 * its next change, or else the present one of `list`. Instants in it may be texts. One statement besides those of `list`.
 */
export async function statesAt<T extends { readonly id: number }>(
  work: ReadWork,
  type: EntityTypeName,
  ids: Ids,
  position: number,
  list: Pick<List<T>, 'byIds'>,
): Promise<ReadonlyMap<number, PastRecord<T>>> {
  const found = ids.length === 0 ? [] : await selectAround(work, type, ids, position);
  const unchanged = found.filter(({ next }) => next === null).map(({ id }) => id);
  const current = unchanged.length === 0 ? new Map<number, T>() : await list.byIds(work, unchanged);
  const states = new Map<number, PastRecord<T>>();
  for (const { id, last, next, before } of found) {
    const state = next === null ? current.get(id) : (JSON.parse(before ?? 'null') as T | null);
    if (state) states.set(id, { state, last });
  }
  return states;
}
