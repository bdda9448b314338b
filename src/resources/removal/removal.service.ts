import type { WriteWork } from '../../database/work.js';
import { DomainError } from '../../platform/errors.js';
import type { Removed } from './removal.model.js';
import { insertRemovals, selectLastRemovalId } from './removal.repository.js';

export { selectLastRemovalId as lastRemovalId } from './removal.repository.js';

/** Maximum rows that a change deletes itself; a background job deletes more than these. */
export const MAX_ROWS_AT_ONCE = 250;
/** Maximum bytes of the values that a change deletes itself: the values are written to the ledger. */
export const MAX_BYTES_AT_ONCE = 256 * 1024;
/** Rows that one step of the background job deletes. */
export const ROWS_PER_STEP = 100;

/** Hides records with all that they own, or links, from all queries. A background job deletes the rows. */
export async function removeInSteps(work: WriteWork, removed: readonly Removed[]): Promise<void> {
  await insertRemovals(work, removed, (await selectLastRemovalId(work)) + 1);
  work.finishLater();
}

/** Error for a change of so many records that other changes wait too long; `instead` is the advice. */
export function tooManyRecords(what: string, records: string, limit: number, instead: string): DomainError {
  return new DomainError(
    'too_many_records',
    `${what} has ${records}, and one request changes at most ${limit} of them: ${instead}. Nothing was changed.`,
  );
}
