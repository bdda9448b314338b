import { randomUUID } from 'node:crypto';

import { only } from '../../../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { changed, newValues } from '../../../platform/changes.js';
import { formatCrc16 } from '../../../platform/encoding/checksum.js';
import type { SentContent } from '../../../platform/encoding/content-builder.js';
import { invalid } from '../../../platform/errors.js';
import type { Page, PageRequest } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { refuseOtherBytes } from '../../fleet/logical-number/version-links.service.js';
import { copyContent, keepContent, releaseContents, sumsOfContents } from '../content/content.service.js';
import {
  AppReference,
  type AppVersion,
  AppVersionCreate,
  AppVersionCreateFields,
  AppVersionUpdate,
  type AssociatedVersion,
  type Associations,
} from './app-version.model.js';
import { appVersionTable, withAssociations } from './app-version.repository.js';
import type { App } from './app.model.js';
import { apps } from './app.service.js';
import { appVersionRecords as records, ascending, associate } from './association.service.js';

export {
  appVersions,
  appVersionsOfApp,
  appVersionsOfFile,
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  defaultVersionsOfGroup,
  modulesOfAppVersion,
} from './app-version.repository.js';

type Bytecode = Pick<AppVersion, 'contentId' | 'size' | 'crc'>;

const NO_BYTECODE: Bytecode = { contentId: null, size: 0, crc: formatCrc16(0) };
const NO_ASSOCIATIONS: Associations = { groupIds: [], moduleIds: [], fileIds: [] };

/** An app version of an application, with its associations. Errors: `not_found`. */
export async function getAppVersion(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  return await associated(work, await records.getBy(work, { app_id: app.id, id }));
}

/** An app version of any application, with its associations. Errors: `not_found`. */
export async function getAppVersionById(work: ReadWork, id: number): Promise<AssociatedVersion> {
  return await associated(work, await records.get(work, id));
}

/** Ascending by id. */
export async function listAppVersions(
  work: ReadWork,
  app: App,
  request: PageRequest,
): Promise<Page<AppVersion>> {
  return await records.listBy(work, { app_id: app.id }, request);
}

/** Errors: `invalid`, `taken`. */
export async function createAppVersion(
  work: WriteWork,
  app: App,
  input: unknown,
): Promise<AssociatedVersion> {
  const { bytecode, baseVersionId, ...given } = parse(AppVersionCreate, input);
  const fields = {
    ...newValues(AppVersionCreateFields, input, NO_BYTECODE),
    appId: app.id,
    uuid: randomUUID(),
  };
  await records.refuseTaken(work, fields);
  const base = baseVersionId === undefined ? null : await findBase(work, app, baseVersionId);
  const version = await appVersionTable.insert(work, {
    ...fields,
    ...(bytecode === undefined ? await copyBytecode(work, base) : await keep(work, bytecode)),
  });
  const associations = associationsOf(given, base ?? NO_ASSOCIATIONS);
  await associate(work, version.id, NO_ASSOCIATIONS, associations);
  const after = { ...version, ...associations };
  work.ledger.created('app_version', after);
  return after;
}

/** Creates a version of the application with the id `appId` of the input. Errors: `invalid`, `taken`. */
export async function createAppVersionOfNamedApp(
  work: WriteWork,
  input: unknown,
): Promise<AssociatedVersion> {
  const { appId } = parse(AppReference, input);
  const app = (await apps.byIds(work, [appId])).get(appId);
  if (app === undefined) throw invalid('appId', 'is not the id of an app');
  return await createAppVersion(work, app, input);
}

/** Errors: `invalid`, `taken`. */
export async function updateAppVersion(
  work: WriteWork,
  current: AssociatedVersion,
  input: unknown,
): Promise<AssociatedVersion> {
  const { bytecode, groupIds, moduleIds, fileIds, ...given } = parse(AppVersionUpdate, input);
  const values = changed<AppVersion, typeof given>(current, given);
  await records.refuseTaken(work, values, current);
  const associations = associationsOf({ groupIds, moduleIds, fileIds }, current);
  await associate(work, current.id, current, associations);
  const version = await appVersionTable.update(work, current, {
    ...values,
    ...(bytecode === undefined ? {} : await keep(work, bytecode)),
  });
  if (bytecode !== undefined && current.contentId !== null) await releaseContents(work, [current.contentId]);
  const after = { ...version, ...associations };
  work.ledger.updated('app_version', current, after);
  return after;
}

/** Updates a version. Errors: `invalid`, `taken`; `in_use` for new bytes if a logical number has it. */
export async function replaceAppVersion(
  work: WriteWork,
  current: AssociatedVersion,
  input: unknown,
): Promise<AssociatedVersion> {
  const { bytecode } = parse(AppVersionUpdate, input);
  if (bytecode !== undefined && !(await hasBytes(work, current, bytecode))) {
    await refuseOtherBytes(work, current.id);
  }
  return await updateAppVersion(work, current, input);
}

async function hasBytes(
  work: ReadWork,
  { contentId }: AppVersion,
  bytecode: SentContent | null,
): Promise<boolean> {
  if (contentId === null || bytecode === null) return contentId === null && bytecode === null;
  const sums = await sumsOfContents(work, [{ id: contentId }]);
  return sums.get(contentId) === bytecode.sha256;
}

async function associated(work: ReadWork, version: AppVersion): Promise<AssociatedVersion> {
  return only(await withAssociations(work, [version]));
}

async function findBase(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  const base = await appVersionTable.find(work, { app_id: app.id, id });
  if (base === undefined) throw invalid('baseVersionId', 'is not a version of this application');
  return await associated(work, base);
}

async function keep(work: WriteWork, content: SentContent | null): Promise<Bytecode> {
  if (content === null) return NO_BYTECODE;
  return { contentId: await keepContent(work, content), size: content.size, crc: content.crc };
}

async function copyBytecode(work: WriteWork, base: AppVersion | null): Promise<Bytecode> {
  if (base?.contentId == null) return NO_BYTECODE;
  return { contentId: await copyContent(work, base.contentId), size: base.size, crc: base.crc };
}

function associationsOf(
  given: { readonly [A in keyof Associations]?: readonly number[] | undefined },
  defaults: Associations,
): Associations {
  return {
    groupIds: ascending(given.groupIds ?? defaults.groupIds),
    moduleIds: ascending(given.moduleIds ?? defaults.moduleIds),
    fileIds: ascending(given.fileIds ?? defaults.fileIds),
  };
}
