import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { tooManyRecords } from '../../../platform/limits/many-records.js';
import { parse } from '../../../platform/validate.js';
import type { Group } from '../../fleet/group/group.model.js';
import { dropVersionLinks } from '../../fleet/logical-number/version-links.service.js';
import { releaseContents } from '../content/content.service.js';
import { AppVersionLinks, type AssociatedVersion, type Associations } from './app-version.model.js';
import {
  appVersionTable,
  type Association,
  ASSOCIATIONS,
  deleteAssociations,
  insertAssociations,
  selectAssociatedWith,
  withAssociations,
} from './app-version.repository.js';
import type { App } from './app.model.js';

/** App versions without their associations. */
export const appVersionRecords = new Records({
  entityType: 'app_version',
  table: appVersionTable,
  unique: {
    field: 'number',
    match: ({ appId, number }) => ({ app_id: appId, number }),
    message: 'The application has a version with this number already.',
  },
});

const NAMES: Readonly<Record<Association, string>> = {
  groupIds: 'groups',
  moduleIds: 'versions of applications of kind module',
  fileIds: 'files',
};

/**
 * Replaces the associations `before` of a version by `after`. A version that is removed from a group is
 * removed from the group's logical numbers too (contract 21). Errors: `invalid` (an unknown id, or one of
 * another kind), `too_many_records`.
 */
export async function associate(
  work: WriteWork,
  versionId: number,
  before: Associations,
  after: Associations,
): Promise<void> {
  if (after.moduleIds.includes(versionId)) throw invalid('moduleIds', 'must not hold the version itself');
  for (const association of ASSOCIATIONS) {
    const { removed, added } = difference(before[association], after[association]);
    if (association === 'groupIds') await dropVersionLinks(work, [versionId], removed);
    if (removed.length > 0) await deleteAssociations(work, association, [versionId], removed);
    if (added.length === 0) continue;
    const inserted = await insertAssociations(work, association, [versionId], added);
    if (inserted < added.length) throw invalid(association, `must hold ids of ${NAMES[association]} only`);
  }
}

export const ascending = (ids: readonly number[]): readonly number[] =>
  ids.toSorted((one, other) => one - other);

/** The ids to remove and to add so that `before` becomes `after`. */
export function difference(
  before: readonly number[],
  after: readonly number[],
): { readonly removed: readonly number[]; readonly added: readonly number[] } {
  const had = new Set(before);
  const has = new Set(after);
  return { removed: before.filter((id) => !has.has(id)), added: after.filter((id) => !had.has(id)) };
}

/**
 * Attaches app versions to a group; attached ones do not change. A constant number of statements. Errors:
 * `invalid`.
 */
export async function attachToGroup(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const versions = (await versionsIn(work, input)).filter((version) => !version.groupIds.includes(group.id));
  if (versions.length === 0) return group;
  await insertAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await appVersionRecords.updateAll(work, versions, {}, ({ groupIds }) => ({
    groupIds: ascending([...groupIds, group.id]),
  }));
  return group;
}

/**
 * Detaches app versions from a group and from its logical numbers (contract 21). Versions that are not
 * attached are ignored. Errors: `invalid`, `too_many_records`.
 */
export async function detachFromGroup(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const versions = (await versionsIn(work, input)).filter((version) => version.groupIds.includes(group.id));
  if (versions.length === 0) return group;
  await dropVersionLinks(work, idsOf(versions), [group.id]);
  await deleteAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await appVersionRecords.updateAll(work, versions, {}, ({ groupIds }) => ({
    groupIds: groupIds.filter((id) => id !== group.id),
  }));
  return group;
}

const idsOf = (versions: readonly AssociatedVersion[]): readonly number[] => versions.map(({ id }) => id);

async function versionsIn(work: ReadWork, input: unknown): Promise<readonly AssociatedVersion[]> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const versions = await appVersionTable.select(work, { id: appVersionIds });
  if (versions.length < appVersionIds.length) {
    throw invalid('appVersionIds', 'must hold ids of app versions only');
  }
  return await withAssociations(work, versions);
}

/** Versions that one request changes or deletes because of another record. */
const MAX_VERSIONS = 500;

/**
 * Removes it from logical numbers, and from the versions of which it is a module. Errors: `too_many_records`.
 */
export async function deleteAppVersion(work: WriteWork, version: AssociatedVersion): Promise<void> {
  await deleteVersions(work, [version]);
}

/** Deletes all versions of an application. Errors: `too_many_records`. */
export async function deleteAppVersionsOf(work: WriteWork, app: App): Promise<void> {
  const total = await appVersionTable.count(work, { app_id: app.id });
  if (total > MAX_VERSIONS) {
    const instead =
      'first delete versions of it (DELETE /v1/apps/{app_id}/versions/{version_id}, appVersionDelete)';
    throw tooManyRecords(`The application ${app.name}`, `${total} versions`, MAX_VERSIONS, instead);
  }
  const versions = await appVersionTable.select(work, { app_id: app.id });
  await deleteVersions(work, await withAssociations(work, versions));
}

/** Ids of an application's versions, at most as many as one request deletes. */
export async function versionIdsOf(work: ReadWork, app: App): Promise<readonly number[]> {
  const versions = await appVersionTable.select(work, { app_id: app.id });
  return versions.slice(0, MAX_VERSIONS).map(({ id }) => id);
}

/** Removes a file from all versions that have it. */
export async function dropFileFromVersions(work: WriteWork, fileId: number): Promise<void> {
  await dropFromVersions(work, 'fileIds', [fileId], []);
}

async function deleteVersions(work: WriteWork, versions: readonly AssociatedVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map((version) => version.id);
  await dropVersionLinks(work, ids);
  await dropFromVersions(work, 'moduleIds', ids, ids);
  await appVersionTable.delete(work, { id: ids });
  const contents = versions.flatMap(({ contentId }) => (contentId === null ? [] : [contentId]));
  await releaseContents(work, contents);
  for (const version of versions) work.ledger.deleted('app_version', version);
}

const USES = {
  moduleIds: ['The version', 'appVersionSetModules'],
  fileIds: ['The file', 'appVersionSetFiles'],
} as const;

/**
 * Removes modules or files from the versions that have them, except versions that are being deleted too.
 * Errors: `too_many_records`.
 */
async function dropFromVersions(
  work: WriteWork,
  association: 'moduleIds' | 'fileIds',
  removed: readonly number[],
  deletedVersions: readonly number[],
): Promise<void> {
  const deleted = new Set(deletedVersions);
  const ids = (await selectAssociatedWith(work, association, removed)).filter((id) => !deleted.has(id));
  if (ids.length === 0) return;
  if (ids.length > MAX_VERSIONS) {
    const [what, setter] = USES[association];
    const instead = `first remove it from versions (PUT /v1/apps/{app_id}/versions/{version_id}, ${setter})`;
    throw tooManyRecords(what, `${ids.length} versions that use it`, MAX_VERSIONS, instead);
  }
  const holders = await withAssociations(work, await appVersionTable.select(work, { id: ids }));
  await deleteAssociations(work, association, ids, removed);
  const gone = new Set(removed);
  await appVersionRecords.updateAll(work, holders, {}, (holder) => ({
    [association]: holder[association].filter((id) => !gone.has(id)),
  }));
}
