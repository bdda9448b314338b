import type { WriteWork } from '../../database/work.js';
import { DomainError } from '../../platform/errors.js';
import type { Removed } from './removal.model.js';
import { insertRemovals, selectLastRemovalId } from './removal.repository.js';

export { selectLastRemovalId as lastRemovalId } from './removal.repository.js';

/** With more rows than this, a change does not remove them itself but leaves that to steps. */
export const MAX_ROWS_AT_ONCE = 250;
/** The same for the bytes of their values, which go to the ledger. */
export const MAX_BYTES_AT_ONCE = 256 * 1024;
/** Rows that one step removes. */
export const ROWS_PER_STEP = 100;

/** From now on no query returns these records, what they own, or these links; steps remove the rows. */
export async function removeInSteps(work: WriteWork, removed: readonly Removed[]): Promise<void> {
  await insertRemovals(work, removed, (await selectLastRemovalId(work)) + 1);
  work.finishLater();
}

/** A change would have to write so many records at once that others would wait for it; `instead` says what to do. */
export function tooManyRecords(what: string, records: string, limit: number, instead: string): DomainError {
  return new DomainError(
    'too_many_records',
    `${what} has ${records}, and one request changes at most ${limit} of them: ${instead}. Nothing was changed.`,
  );
}
