import type { WriteWork } from '../../database/work.js';
import {
  deleteVersionLinks,
  logicalNumberTable,
  selectHoldersOfVersions,
} from './logical-number.repository.js';

/**
 * Removes app versions from the logical numbers of the given groups, or of all groups (undefined), when versions are
 * detached from groups or deleted (contract 21). The revision of each changed number grows by one.
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
  const touched = await logicalNumberTable.updateAll(work, { id: ids }, {});
  const heads = new Map(touched.map((head) => [head.id, head]));
  const dropped = new Set(appVersionIds);
  for (const before of holders) {
    const appVersionIds = before.appVersionIds.filter((id) => !dropped.has(id));
    work.ledger.updated('logical_number', before, { ...before, ...heads.get(before.id), appVersionIds });
  }
}
