import type { Units, WriteWork } from '../../../database/work.js';
import type { Caller } from '../../../platform/caller.js';
import { CHUNK_BYTES, type StagedContent } from '../../../platform/encoding/content-builder.js';
import type { SpooledContent } from '../../../platform/spool/received-content.js';
import { insertChunk, insertContent } from './content.repository.js';
import { deletePart } from './content.service.js';

type StoredBytes = Omit<StagedContent, 'adopted'>;

/**
 * Stores the bytes of an upload before the unit of work of its record begins, each chunk in a transaction of
 * its own, so that other changes come between. Until `keepContent` they count as released, and are deleted
 * like other released contents if that never happens. Errors: `busy`, `storage_full` and the other faults of
 * a storage.
 */
export async function stageContent(
  units: Units,
  caller: Caller,
  { spool, ...sums }: SpooledContent,
): Promise<StoredBytes> {
  const write = <T>(use: (work: WriteWork) => Promise<T>): Promise<T> =>
    units.write(caller, async (work) => {
      work.demandRoom();
      return await use(work);
    });
  const staged = await write(async (work) => ({
    ...sums,
    stagedId: await insertContent(work, sums, work.now),
    stagedAt: work.now,
  }));
  try {
    for (let sequence = 0; sequence * CHUNK_BYTES < sums.size; sequence += 1) {
      const bytes = await spool.read(sequence * CHUNK_BYTES, CHUNK_BYTES);
      await write((work) => insertChunk(work, staged.stagedId, sequence, bytes));
    }
    return staged;
  } catch (error) {
    await discardContent(units, caller, staged);
    throw error;
  }
}

/** Deletes bytes without a record, in short transactions. Never rejects: the rest is deleted later. */
export async function discardContent(units: Units, caller: Caller, { stagedId }: StoredBytes): Promise<void> {
  try {
    let isPartial = true;
    while (isPartial) {
      isPartial = await units.systemWrite(
        caller,
        (work) => {
          work.freesRoom();
          return deletePart(work, caller.companyId, stagedId);
        },
        caller.companyId,
      );
    }
  } catch {
    // The storage failed or is closed: housekeeping deletes the rest.
  }
}
