import type { WriteWork } from '../../database/work.js';
import {
  deleteVersionLinks,
  selectHoldersOfVersions,
  touchLogicalNumbers,
} from './logical-number.repository.js';

/**
 * Takes app versions from the logical numbers of the given groups, or, where none are named, from all: for
 * versions that leave groups or are deleted (contract 21). Each number concerned counts one change.
 */
export async function dropVersionLinks(
  work: WriteWork,
  appVersionIds: readonly number[],
  groupIds?: readonly number[],
): Promise<void> {
  if (appVersionIds.length === 0 || groupIds?.length === 0) return;
  const holders = await selectHoldersOfVersions(work, appVersionIds, groupIds);
  if (holders.length === 0) return;
  const ids = holders.map((holder) => holder.id);
  await deleteVersionLinks(work, ids, appVersionIds);
  const touched = await touchLogicalNumbers(work, ids);
  const dropped = new Set(appVersionIds);
  for (const before of holders) {
    const kept = before.appVersionIds.filter((id) => !dropped.has(id));
    work.ledger.append({
      action: 'update',
      entityType: 'logical_number',
      entityId: before.id,
      before,
      after: { ...before, ...touched.get(before.id), appVersionIds: kept },
    });
  }
}
