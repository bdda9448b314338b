import type { WriteWork } from '../../database/work.js';
import type { App } from '../app/app.model.js';
import { releaseContents } from '../content/content.service.js';
import { dropVersionLinks } from '../logical-number/version-links.service.js';
import type { AssociatedVersion } from './app-version.model.js';
import { deleteAppVersionRows, selectAllVersionsOf, selectVersionsByIds } from './app-version.repository.js';
import { deleteAssociations, selectAssociatedWith, withAssociations } from './association.repository.js';
import { recordAssociations } from './association.service.js';

/** Takes it from logical numbers, and from the versions whose module it is. */
export async function deleteAppVersion(work: WriteWork, version: AssociatedVersion): Promise<void> {
  await deleteVersions(work, [version]);
}

/** All versions of an application, in a number of statements that does not depend on how many there are. */
export async function deleteAppVersionsOf(work: WriteWork, app: App): Promise<void> {
  await deleteVersions(work, await withAssociations(work, await selectAllVersionsOf(work, app.id)));
}

/** Takes a file from all versions; each counts one change. */
export async function dropFileFromVersions(work: WriteWork, fileId: number): Promise<void> {
  await dropFromVersions(work, 'fileIds', [fileId], []);
}

async function deleteVersions(work: WriteWork, versions: readonly AssociatedVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map((version) => version.id);
  await dropVersionLinks(work, ids);
  await dropFromVersions(work, 'moduleIds', ids, ids);
  await deleteAppVersionRows(work, ids);
  const contents = versions.flatMap(({ contentId }) => (contentId === null ? [] : [contentId]));
  await releaseContents(work, contents);
  for (const version of versions) {
    work.ledger.append({
      action: 'delete',
      entityType: 'app_version',
      entityId: version.id,
      before: version,
      after: null,
    });
  }
}

/** Takes records that are to go from the versions that have them, but for the versions that go as well. */
async function dropFromVersions(
  work: WriteWork,
  association: 'moduleIds' | 'fileIds',
  dropped: readonly number[],
  going: readonly number[],
): Promise<void> {
  const leaving = new Set(going);
  const ids = (await selectAssociatedWith(work, association, dropped)).filter((id) => !leaving.has(id));
  if (ids.length === 0) return;
  const holders = await withAssociations(work, await selectVersionsByIds(work, ids));
  await deleteAssociations(work, association, ids, dropped);
  const gone = new Set(dropped);
  await recordAssociations(work, holders, association, (had) => had.filter((id) => !gone.has(id)));
}
