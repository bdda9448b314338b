import type { WriteWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { dropVersionLinks } from '../logical-number/version-links.service.js';
import type { AssociatedVersion, Associations } from './app-version.model.js';
import { appVersionTable } from './app-version.repository.js';
import { difference } from './app-version.rules.js';
import {
  ASSOCIATIONS,
  deleteAssociations,
  insertAssociations,
  type Association,
} from './association.repository.js';

const NAMES: Readonly<Record<Association, string>> = {
  groupIds: 'groups',
  moduleIds: 'versions of applications of kind module',
  fileIds: 'files',
};

/**
 * Replaces the associations `before` of a version by `after`. A version that is removed from a group is removed
 * from the group's logical numbers too (contract 21). Errors: `invalid` (an unknown id, or one of another kind).
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
    if (removed.length > 0) await deleteAssociations(work, association, [versionId], removed);
    if (association === 'groupIds') await dropVersionLinks(work, [versionId], removed);
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
  const ids = versions.map((version) => version.id);
  const touched = new Map(
    (await appVersionTable.updateAll(work, { id: ids }, {})).map((version) => [version.id, version]),
  );
  for (const before of versions) {
    const changed = { ...before, ...touched.get(before.id), [association]: after(before[association]) };
    work.ledger.updated('app_version', before, changed);
  }
}
