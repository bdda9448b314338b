import { Records } from '../../../../database/company/records.js';
import type { WriteWork } from '../../../../database/work.js';
import { invalid } from '../../../../platform/errors.js';
import { dropVersionLinks } from '../../../fleet/logical-number/version-links.service.js';
import type { AssociatedVersion, Associations } from '../app-version.model.js';
import { appVersionTable } from '../app-version.repository.js';
import { difference } from '../app-version.rules.js';
import {
  ASSOCIATIONS,
  deleteAssociations,
  insertAssociations,
  type Association,
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
