import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import type { Group } from '../../fleet/group/group.model.js';
import { dropVersionLinks } from '../../fleet/logical-number/version-links.service.js';
import { AppVersionLinks, type AssociatedVersion, type Associations } from './app-version.model.js';
import { appVersionTable } from './app-version.repository.js';
import {
  type Association,
  ASSOCIATIONS,
  deleteAssociations,
  insertAssociations,
  withAssociations,
} from './association.repository.js';

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

/** Raises the revision of each version and records that one of its associations is now `after(before)`. */
export async function recordAssociations(
  work: WriteWork,
  versions: readonly AssociatedVersion[],
  association: Association,
  after: (ids: readonly number[]) => readonly number[],
): Promise<void> {
  await appVersionRecords.updateAll(work, versions, {}, (before) => ({
    [association]: after(before[association]),
  }));
}

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
export async function attachToGroup(work: WriteWork, group: Group, input: unknown): Promise<void> {
  const versions = (await versionsIn(work, input)).filter((version) => !version.groupIds.includes(group.id));
  if (versions.length === 0) return;
  await insertAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await recordAssociations(work, versions, 'groupIds', (had) =>
    [...had, group.id].sort((one, other) => one - other),
  );
}

/**
 * Detaches app versions from a group and from its logical numbers (contract 21). Versions that are not
 * attached are ignored. Errors: `invalid`, `too_many_records`.
 */
export async function detachFromGroup(work: WriteWork, group: Group, input: unknown): Promise<void> {
  const versions = (await versionsIn(work, input)).filter((version) => version.groupIds.includes(group.id));
  if (versions.length === 0) return;
  await dropVersionLinks(work, idsOf(versions), [group.id]);
  await deleteAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await recordAssociations(work, versions, 'groupIds', (had) => had.filter((id) => id !== group.id));
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
