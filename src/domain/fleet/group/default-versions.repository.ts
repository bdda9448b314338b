import { CompanyRows } from '../../../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';

const defaults = new CompanyRows('group_default_versions');
const attached = new CompanyRows('app_version_groups');

/** The ids of the default versions of a group, ascending. */
export async function selectDefaultVersions(work: ReadWork, groupId: number): Promise<readonly number[]> {
  const rows = await defaults.select(work, { group_id: groupId });
  return rows.map((row) => row.app_version_id).sort((one, other) => one - other);
}

/** Ids of the given app versions that are attached to the group. */
export async function selectAttachedVersions(
  work: ReadWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await attached.select(work, { group_id: groupId, app_version_id: appVersionIds });
  return rows.map((row) => row.app_version_id);
}

export async function deleteDefaultVersions(
  work: WriteWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<void> {
  await defaults.delete(work, { group_id: groupId, app_version_id: appVersionIds });
}

export async function insertDefaultVersions(
  work: WriteWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<void> {
  await defaults.insert(
    work,
    appVersionIds.map((id) => ({ group_id: groupId, app_version_id: id })),
  );
}
