import type { ReadWork, WriteWork } from '../../../database/work.js';
import { tooManyRecords } from '../../../platform/limits/many-records.js';
import { dropVersionLinks } from '../../fleet/logical-number/version-links.service.js';
import { releaseContents } from '../content/content.service.js';
import type { AssociatedVersion } from './app-version.model.js';
import { appVersionTable } from './app-version.repository.js';
import type { App } from './app.model.js';
import { deleteAssociations, selectAssociatedWith, withAssociations } from './association.repository.js';
import { recordAssociations } from './association.service.js';

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

const NAMES = {
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
    const [what, setter] = NAMES[association];
    const instead = `first remove it from versions (PUT /v1/apps/{app_id}/versions/{version_id}, ${setter})`;
    throw tooManyRecords(what, `${ids.length} versions that use it`, MAX_VERSIONS, instead);
  }
  const holders = await withAssociations(work, await appVersionTable.select(work, { id: ids }));
  await deleteAssociations(work, association, ids, removed);
  const gone = new Set(removed);
  await recordAssociations(work, holders, association, (had) => had.filter((id) => !gone.has(id)));
}
