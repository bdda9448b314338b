import type { ReadWork, WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { appsOfVersions, refuseSameApp } from '../../software/app-version/version-apps.service.js';
import {
  deleteDefaultVersions,
  insertDefaultVersions,
  selectAttachedVersions,
  selectDefaultVersions,
} from './default-versions.repository.js';
import { GroupDefaultVersions, type Group } from './group.model.js';
import { groupTable } from './group.repository.js';

/**
 * Replaces the default versions of a group: what a logical number gets when it enters the group. The numbers
 * that the group has already do not change. The same list again is no change. Errors: `invalid`.
 */
export async function setDefaultVersions(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const { appVersionIds } = parse(GroupDefaultVersions, input);
  await refuseUnattached(work, group, appVersionIds);
  refuseSameApp(await appsOfVersions(work, appVersionIds));
  const before = await selectDefaultVersions(work, group.id);
  const [had, has] = [new Set(before), new Set(appVersionIds)];
  const removed = before.filter((id) => !has.has(id));
  const added = appVersionIds.filter((id) => !had.has(id));
  if (removed.length + added.length === 0) return group;
  if (removed.length > 0) await deleteDefaultVersions(work, group.id, removed);
  await insertDefaultVersions(work, group.id, added);
  const changed = await groupTable.update(work, group, group);
  const recorded = { ...group, defaultAppVersionIds: before };
  const after = [...appVersionIds].sort((one, other) => one - other);
  work.ledger.updated('group', recorded, { ...changed, defaultAppVersionIds: after });
  return changed;
}

/**
 * Default versions for a logical number with the versions `held` that enters the group. Defaults of an app
 * are left out if the number has a version of this app.
 */
export async function defaultVersionsFor(
  work: ReadWork,
  groupId: number,
  held: readonly number[],
): Promise<readonly number[]> {
  const ids = await selectDefaultVersions(work, groupId);
  if (ids.length === 0 || held.length === 0) return ids;
  const apps = await appsOfVersions(work, [...ids, ...held]);
  const heldApps = new Set(held.map((id) => apps.get(id)));
  return ids.filter((id) => !heldApps.has(apps.get(id)));
}

async function refuseUnattached(
  work: ReadWork,
  group: Group,
  appVersionIds: readonly number[],
): Promise<void> {
  const attached = new Set(await selectAttachedVersions(work, group.id, appVersionIds));
  const refused = appVersionIds.filter((id) => !attached.has(id));
  if (refused.length === 0) return;
  throw invalid(
    'appVersionIds',
    `must be app versions that are attached to the group: not ${refused.join(', ')}`,
  );
}
