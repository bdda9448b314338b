import { randomUUID } from 'node:crypto';

import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { parse } from '../../platform/validate.js';
import type { App } from '../app/app.model.js';
import { apps } from '../app/app.service.js';
import { contentOf, EMPTY_CRC } from '../content/content.model.js';
import { copyContent, keepContent, releaseContents } from '../content/content.service.js';
import {
  AppReference,
  AppVersionCreate,
  AppVersionUpdate,
  type AppVersion,
  type AssociatedVersion,
  type Associations,
} from './app-version.model.js';
import {
  countAppVersions,
  findAppVersion,
  hasNumber,
  insertAppVersion,
  selectAppVersions,
  selectVersionsByIds,
  updateAppVersionRow,
} from './app-version.repository.js';
import { withAssociations } from './association.repository.js';
import { associate } from './association.service.js';

export {
  appVersions,
  appVersionsOfApp,
  appVersionsOfFile,
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  modulesOfAppVersion,
} from './app-version.repository.js';

type Bytecode = Pick<AppVersion, 'contentId' | 'size' | 'crc'>;

const NO_BYTECODE: Bytecode = { contentId: null, size: 0, crc: EMPTY_CRC };
const NO_ASSOCIATIONS: Associations = { groupIds: [], moduleIds: [], fileIds: [] };

/** With its associations. */
export async function getAppVersion(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  const version = await findAssociated(work, app, id);
  if (version === undefined) throw notFound('app version');
  return version;
}

/** With its associations, whatever application it is of. */
export async function getAppVersionById(work: ReadWork, id: number): Promise<AssociatedVersion> {
  const [version] = await withAssociations(work, await selectVersionsByIds(work, [id]));
  if (version === undefined) throw notFound('app version');
  return version;
}

/** Ascending by id. */
export async function listAppVersions(
  work: ReadWork,
  app: App,
  request: PageRequest,
): Promise<Page<AppVersion>> {
  const total = await countAppVersions(work, app.id);
  return { records: await selectAppVersions(work, app.id, request), total, request };
}

/** Errors: `invalid`, `taken`. */
export async function createAppVersion(
  work: WriteWork,
  app: App,
  input: unknown,
): Promise<AssociatedVersion> {
  const given = parse(AppVersionCreate, input);
  await refuseTakenNumber(work, app.id, given.number);
  const base = given.baseVersionId === undefined ? null : await findBase(work, app, given.baseVersionId);
  const version = await insertAppVersion(work, app.id, randomUUID(), {
    number: given.number,
    displayable: given.displayable,
    authorizerUrl: given.authorizerUrl ?? null,
    posDisplayLabel: given.posDisplayLabel ?? null,
    ...(given.bytecode === undefined ? await copyBytecode(work, base) : await keep(work, given.bytecode)),
  });
  const associations = associationsOf(given, base ?? NO_ASSOCIATIONS);
  await associate(work, version.id, NO_ASSOCIATIONS, associations);
  const after = { ...version, ...associations };
  work.ledger.append({ action: 'create', entityType: 'app_version', entityId: version.id, after });
  return after;
}

/** In the application that the input names. Errors: `invalid` (an unknown one among them), `taken`. */
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
  const { bytecode, ...given } = parse(AppVersionUpdate, input);
  const number = given.number ?? current.number;
  if (number !== current.number) await refuseTakenNumber(work, current.appId, number);
  const associations = associationsOf(given, current);
  await associate(work, current.id, current, associations);
  const version = await updateAppVersionRow(work, current, {
    number,
    displayable: given.displayable ?? current.displayable,
    authorizerUrl: given.authorizerUrl === undefined ? current.authorizerUrl : given.authorizerUrl,
    posDisplayLabel: given.posDisplayLabel === undefined ? current.posDisplayLabel : given.posDisplayLabel,
    ...(bytecode === undefined ? bytecodeOf(current) : await keep(work, bytecode)),
  });
  if (bytecode !== undefined && current.contentId !== null) await releaseContents(work, [current.contentId]);
  const after = { ...version, ...associations };
  work.ledger.append({
    action: 'update',
    entityType: 'app_version',
    entityId: version.id,
    before: current,
    after,
  });
  return after;
}

async function findAssociated(work: ReadWork, app: App, id: number): Promise<AssociatedVersion | undefined> {
  const version = await findAppVersion(work, app.id, id);
  return version === undefined ? undefined : (await withAssociations(work, [version]))[0];
}

async function findBase(work: ReadWork, app: App, id: number): Promise<AssociatedVersion> {
  const base = await findAssociated(work, app, id);
  if (base === undefined) throw invalid('baseVersionId', 'is not a version of this application');
  return base;
}

async function keep(work: WriteWork, bytes: Uint8Array | null): Promise<Bytecode> {
  if (bytes === null) return NO_BYTECODE;
  const content = contentOf(bytes);
  return { contentId: await keepContent(work, content), size: content.size, crc: content.crc };
}

async function copyBytecode(work: WriteWork, base: AppVersion | null): Promise<Bytecode> {
  if (base?.contentId == null) return NO_BYTECODE;
  return { ...bytecodeOf(base), contentId: await copyContent(work, base.contentId) };
}

function bytecodeOf({ contentId, size, crc }: Bytecode): Bytecode {
  return { contentId, size, crc };
}

const ascending = (ids: readonly number[]): readonly number[] => [...ids].sort((a, b) => a - b);

function associationsOf(
  given: { readonly [A in keyof Associations]?: readonly number[] | undefined },
  otherwise: Associations,
): Associations {
  return {
    groupIds: ascending(given.groupIds ?? otherwise.groupIds),
    moduleIds: ascending(given.moduleIds ?? otherwise.moduleIds),
    fileIds: ascending(given.fileIds ?? otherwise.fileIds),
  };
}

async function refuseTakenNumber(work: ReadWork, appId: number, number: string): Promise<void> {
  if (await hasNumber(work, appId, number)) {
    throw taken('number', 'The application has a version with this number already.');
  }
}
