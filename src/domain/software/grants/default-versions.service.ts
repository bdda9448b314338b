import { CompanyRows } from '../../../database/company/company-rows.js';
import type { WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import type { Group } from '../../fleet/group/group.model.js';
import { groupRecords } from '../../fleet/group/group.service.js';
import { AppVersionLinks } from '../app/app-version.model.js';
import { difference } from '../app/association.service.js';
import { appsOfVersions, refuseSameApp, versionsOfGroups } from './grant.service.js';

const defaults = new CompanyRows('group_default_versions');

const ascending = (ids: readonly number[]): readonly number[] => [...ids].sort((one, other) => one - other);

/**
 * Replaces the default versions of a group: what a logical number gets when it enters the group. The numbers
 * that the group has already do not change. The same list again is no change. Errors: `invalid`.
 */
export async function setDefaultVersions(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const attached = (await versionsOfGroups(work, [group.id], appVersionIds)).get(group.id) ?? [];
  const { added: refused } = difference(attached, appVersionIds);
  if (refused.length > 0) {
    throw invalid(
      'appVersionIds',
      `must be app versions that are attached to the group: not ${refused.join(', ')}`,
    );
  }
  refuseSameApp(await appsOfVersions(work, appVersionIds));
  const rows = await defaults.select(work, { group_id: group.id });
  const before = ascending(rows.map((row) => row.app_version_id));
  const { removed, added } = difference(before, appVersionIds);
  if (removed.length + added.length === 0) return group;
  if (removed.length > 0) await defaults.delete(work, { group_id: group.id, app_version_id: removed });
  const links = added.map((id) => ({ group_id: group.id, app_version_id: id }));
  await defaults.insert(work, links);
  const recorded = { ...group, defaultAppVersionIds: before };
  const after = { defaultAppVersionIds: ascending(appVersionIds) };
  const [changed = group] = await groupRecords.updateAll(work, [recorded], {}, () => after);
  return changed;
}
