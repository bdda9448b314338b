import type { WriteWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { dropVersionLinks } from '../logical-number/version-links.service.js';
import type { AssociatedVersion, Associations } from './app-version.model.js';
import { touchAppVersions } from './app-version.repository.js';
import { difference } from './app-version.rules.js';
import {
  ASSOCIATIONS,
  deleteAssociations,
  insertAssociations,
  type Association,
} from './association.repository.js';

const WHAT: Readonly<Record<Association, string>> = {
  groupIds: 'groups',
  moduleIds: 'versions of applications of kind module',
  fileIds: 'files',
};

/**
 * Associates a version with `after` instead of `before`. A group that it leaves takes it from its logical
 * numbers (contract 21). Errors: `invalid` (an id that is none of the company's, or of another kind).
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
    if (inserted < added.length) throw invalid(association, `must hold ids of ${WHAT[association]} only`);
  }
}

/** Counts and records a change of each of the versions, one of whose associations is now as `after` makes it. */
export async function recordAssociations(
  work: WriteWork,
  versions: readonly AssociatedVersion[],
  association: Association,
  after: (ids: readonly number[]) => readonly number[],
): Promise<void> {
  const ids = versions.map((version) => version.id);
  const touched = new Map((await touchAppVersions(work, ids)).map((version) => [version.id, version]));
  for (const before of versions) {
    work.ledger.append({
      action: 'update',
      entityType: 'app_version',
      entityId: before.id,
      before,
      after: { ...before, ...touched.get(before.id), [association]: after(before[association]) },
    });
  }
}
