import { randomUUID } from 'node:crypto';

import { only } from '../../../database/company/company-rows.js';
import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { SentContent } from '../../../platform/encoding/content.js';
import { invalid, MAX_DELETED_TOGETHER, tooManyRecords } from '../../../platform/errors.js';
import { formatCrc16 } from '../../../platform/hashes.js';
import type { PageRequest } from '../../../platform/requests.js';
import { parse, changed, newValues } from '../../../platform/validate.js';
import { dropVersionLinks, refuseOtherBytes } from '../../fleet/logical-number/version-links.service.js';
import {
  type App,
  AppReference,
  type AppVersion,
  AppVersionCreate,
  AppVersionCreateFields,
  AppVersionUpdate,
  type AssociatedVersion,
  type Associations,
} from './app.model.js';
import * as store from './app.repository.js';
import { copyContent, hasBytes, keepContent, releaseContents } from './content.service.js';

export {
  appVersions,
  appVersionsOfApp,
  appVersionsOfFile,
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  defaultVersionsOfGroup,
  modulesOfAppVersion,
} from './app.repository.js';

/** App versions without their associations. */
export const appVersionRecords = new Records(store.appVersionTable, {
  field: 'number',
  match: ({ appId, number }) => ({ app_id: appId, number }),
  message: 'The application has a version with this number already.',
});

type Bytecode = Pick<AppVersion, 'contentId' | 'size' | 'crc'>;

const NO_BYTECODE: Bytecode = { contentId: null, size: 0, crc: formatCrc16(0) };
const NO_ASSOCIATIONS: Associations = { groupIds: [], moduleIds: [], fileIds: [] };

/** An app version of an application, with its associations. Errors: `not_found`. */
export async function getAppVersion(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  return await associated(work, await appVersionRecords.getBy(work, { app_id: app.id, id }));
}

/** An app version of any application, with its associations. Errors: `not_found`. */
export async function getAppVersionById(work: ReadWork, id: number): Promise<AssociatedVersion> {
  return await associated(work, await appVersionRecords.get(work, id));
}

async function associated(work: ReadWork, version: AppVersion): Promise<AssociatedVersion> {
  return only(await store.withAssociations(work, [version]));
}

/** Ascending by id. */
export async function listAppVersions(work: ReadWork, app: App, request: PageRequest) {
  return await appVersionRecords.listBy(work, { app_id: app.id }, request);
}

/** Errors: `invalid`, `taken`. */
export async function createAppVersion(work: WriteWork, app: App, input: unknown) {
  const { bytecode, baseVersionId, ...given } = parse(AppVersionCreate, input);
  const fields = {
    ...newValues(AppVersionCreateFields, input, NO_BYTECODE),
    appId: app.id,
    uuid: randomUUID(),
  };
  await appVersionRecords.refuseTaken(work, fields);
  const base = baseVersionId === undefined ? null : await findBase(work, app, baseVersionId);
  const version = await store.appVersionTable.insert(work, {
    ...fields,
    ...(bytecode === undefined ? await copyBytecode(work, base) : await keep(work, bytecode)),
  });
  const after = { ...version, ...associationsOf(given, base ?? NO_ASSOCIATIONS) };
  await associate(work, version.id, NO_ASSOCIATIONS, after);
  work.ledger.created('app_version', after);
  return after;
}

/** Creates a version of the application with the id `appId` of the input. Errors: `invalid`, `taken`. */
export async function createAppVersionOfNamedApp(work: WriteWork, input: unknown) {
  const { appId } = parse(AppReference, input);
  const app = (await store.apps.byIds(work, [appId])).get(appId);
  if (app === undefined) throw invalid('appId', 'is not the id of {what}', { what: 'an app' });
  return await createAppVersion(work, app, input);
}

async function findBase(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  const base = await store.appVersionTable.find(work, { app_id: app.id, id });
  if (base === undefined) throw invalid('baseVersionId', 'is not a version of this application');
  return await associated(work, base);
}

async function copyBytecode(work: WriteWork, base: AppVersion | null): Promise<Bytecode> {
  if (base?.contentId == null) return NO_BYTECODE;
  return { contentId: await copyContent(work, base.contentId), size: base.size, crc: base.crc };
}

async function keep(work: WriteWork, content: SentContent | null): Promise<Bytecode> {
  if (content === null) return NO_BYTECODE;
  return { contentId: await keepContent(work, content), size: content.size, crc: content.crc };
}

/** Forgets what is known of a version on terminals, since its bytes become others. Errors: `too_many_records`. */
async function forgetTerminals(work: WriteWork, versionId: number): Promise<void> {
  const known = await store.countKnownTerminals(work, versionId);
  if (known > MAX_DELETED_TOGETHER) {
    const what = `The version, whose bytes are known on ${known} terminals,`;
    throw tooManyRecords(what, `${known} states to reset`, MAX_DELETED_TOGETHER, 'create another version');
  }
  if (known > 0) await store.resetTerminals(work, versionId);
}

/** Errors: `invalid`, `taken`; `too_many_records` for other bytes of a version that very many terminals have. */
export async function updateAppVersion(work: WriteWork, current: AssociatedVersion, input: unknown) {
  const { bytecode, groupIds, moduleIds, fileIds, ...given } = parse(AppVersionUpdate, input);
  const values = changed<AppVersion, typeof given>(current, given);
  await appVersionRecords.refuseTaken(work, values, current);
  const associations = associationsOf({ groupIds, moduleIds, fileIds }, current);
  const touched = await associate(work, current.id, current, associations);
  const isOther = bytecode !== undefined && !(await hasBytes(work, current, bytecode));
  if (isOther) await forgetTerminals(work, current.id);
  const bytes = isOther ? await keep(work, bytecode) : {};
  const version = await store.appVersionTable.update(work, current, { ...values, ...bytes }, touched);
  if (isOther && current.contentId !== null) await releaseContents(work, [current.contentId]);
  if (version === current) return current;
  const after = { ...version, ...associations };
  work.ledger.updated('app_version', current, after);
  return after;
}

/** Updates a version. Errors: `invalid`, `taken`; `in_use` for new bytes if a logical number has it. */
export async function replaceAppVersion(work: WriteWork, current: AssociatedVersion, input: unknown) {
  const { bytecode } = parse(AppVersionUpdate, input);
  if (bytecode !== undefined && !(await hasBytes(work, current, bytecode))) {
    await refuseOtherBytes(work, current.id);
  }
  return await updateAppVersion(work, current, input);
}

function associationsOf(
  given: Readonly<Partial<Record<store.Association, readonly number[] | undefined>>>,
  defaults: Associations,
): Associations {
  return {
    groupIds: ascending(given.groupIds ?? defaults.groupIds),
    moduleIds: ascending(given.moduleIds ?? defaults.moduleIds),
    fileIds: ascending(given.fileIds ?? defaults.fileIds),
  };
}

const NAMES: Readonly<Record<store.Association, string>> = {
  groupIds: 'groups',
  moduleIds: 'versions of applications of kind module',
  fileIds: 'files',
};

/** True if an association has changed. Errors: `invalid` (an unknown id, or one of another kind), `too_many_records`. */
async function associate(work: WriteWork, versionId: number, before: Associations, after: Associations) {
  if (after.moduleIds.includes(versionId)) throw invalid('moduleIds', 'must not hold the version itself');
  let hasChanged = false;
  for (const association of store.ASSOCIATIONS) {
    const { removed, added } = difference(before[association], after[association]);
    hasChanged ||= removed.length + added.length > 0;
    // Logical numbers of a group lose the version too (contract 21).
    if (association === 'groupIds') await dropVersionLinks(work, [versionId], removed);
    if (removed.length > 0) await store.deleteAssociations(work, association, [versionId], removed);
    if (added.length === 0) continue;
    const inserted = await store.insertAssociations(work, association, [versionId], added);
    if (inserted < added.length)
      throw invalid(association, 'must hold ids of {what} only', { what: NAMES[association] });
  }
  return hasChanged;
}

export const ascending = (ids: readonly number[]): readonly number[] =>
  ids.toSorted((one, other) => one - other);

/** The ids to remove and to add so that `before` becomes `after`. */
export function difference(before: readonly number[], after: readonly number[]) {
  const had = new Set(before);
  const has = new Set(after);
  return { removed: before.filter((id) => !has.has(id)), added: after.filter((id) => !had.has(id)) };
}

export const idsOf = (versions: readonly AppVersion[]): readonly number[] => versions.map(({ id }) => id);

/** Removes associations of versions, whose revision grows. */
export async function dropAssociations(
  work: WriteWork,
  association: store.Association,
  versions: readonly AssociatedVersion[],
  removed: readonly number[],
): Promise<void> {
  await store.deleteAssociations(work, association, idsOf(versions), removed);
  const gone = new Set(removed);
  await appVersionRecords.updateAll(work, versions, {}, (version) => ({
    [association]: version[association].filter((id) => !gone.has(id)),
  }));
}

/** Versions that one request changes or deletes because of another record. */
const MAX_VERSIONS = 500;

/** Deletes all versions of an application. Errors: `too_many_records`. */
export async function deleteAppVersionsOf(work: WriteWork, app: App): Promise<void> {
  const total = await store.appVersionTable.rows.count(work, { app_id: app.id });
  if (total > MAX_VERSIONS) {
    const instead =
      'first delete versions of it (DELETE /v1/apps/{app_id}/versions/{version_id}, appVersionDelete)';
    throw tooManyRecords(`The application ${app.name}`, `${total} versions`, MAX_VERSIONS, instead);
  }
  const versions = await store.appVersionTable.select(work, { app_id: app.id });
  await deleteVersions(work, await store.withAssociations(work, versions));
}

/** All versions of these applications. One statement. */
export const versionsOfApps = (work: ReadWork, appIds: readonly number[]) =>
  store.appVersionTable.select(work, { app_id: appIds });

/** Ids of an application's versions, at most as many as one request deletes. */
export async function versionIdsOf(work: ReadWork, app: App): Promise<readonly number[]> {
  return idsOf(await store.appVersionTable.select(work, { app_id: app.id })).slice(0, MAX_VERSIONS);
}

/** Deletes it from logical numbers, too, and from the versions of which it is a module. Errors: `too_many_records`. */
export async function deleteAppVersion(work: WriteWork, version: AssociatedVersion): Promise<void> {
  await deleteVersions(work, [version]);
}

async function deleteVersions(work: WriteWork, versions: readonly AssociatedVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = idsOf(versions);
  await dropVersionLinks(work, ids);
  await dropFromVersions(work, 'moduleIds', ids);
  await store.appVersionTable.delete(work, { id: ids });
  await store.versionTotals.delete(work, { app_version_id: ids });
  await releaseContents(
    work,
    versions.flatMap(({ contentId }) => contentId ?? []),
  );
  for (const version of versions) work.ledger.deleted('app_version', version);
}

const USES = {
  moduleIds: ['The version', 'appVersionSetModules'],
  fileIds: ['The file', 'appVersionSetFiles'],
} as const;

/** Removes deleted modules or files from all other versions that have them. Errors: `too_many_records`. */
export async function dropFromVersions(
  work: WriteWork,
  association: keyof typeof USES,
  removed: readonly number[],
): Promise<void> {
  const deletedVersions = new Set(association === 'moduleIds' ? removed : []);
  const users = await store.selectAssociatedWith(work, association, removed);
  const ids = users.filter((id) => !deletedVersions.has(id));
  if (ids.length === 0) return;
  if (ids.length > MAX_VERSIONS) {
    const [what, setter] = USES[association];
    const instead = `first remove it from versions (PUT /v1/apps/{app_id}/versions/{version_id}, ${setter})`;
    throw tooManyRecords(what, `${ids.length} versions that use it`, MAX_VERSIONS, instead);
  }
  const holders = await store.withAssociations(work, await store.appVersionTable.select(work, { id: ids }));
  await dropAssociations(work, association, holders, removed);
}
