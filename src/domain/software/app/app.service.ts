import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { changed, newValues } from '../../../platform/changes/changes.js';
import { normalized } from '../../../platform/encoding/text.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { deleteAppVersionsOf } from './app-version.removal.service.js';
import { type App, AppCreate, AppUpdate, MAX_APP_NAME } from './app.model.js';
import { appTable, isModuleInUse } from './app.repository.js';
import { identify, identifyAnew } from './app.rules.js';

export { apps } from './app.repository.js';

const appRecords = new Records({
  entityType: 'app',
  table: appTable,
  counter: 'apps',
  unique: {
    field: 'name',
    match: ({ name }) => ({ name }),
    message: 'An application with this name exists already.',
  },
});

export const { get: getApp, has: hasApp, list: listApps } = appRecords;

export async function getAppByName(work: ReadWork, name: string): Promise<App> {
  return await appRecords.getBy(work, { name: normalized(name) });
}

/** Apps by name; unknown names are absent. One statement. */
export async function findAppsByNames(
  work: ReadWork,
  names: readonly string[],
): Promise<ReadonlyMap<string, App>> {
  const found = await appTable.select(work, { name: names });
  return new Map(found.map((app) => [app.name, app]));
}

/** Errors: `invalid`, `taken`. */
export async function createApp(work: WriteWork, input: unknown): Promise<App> {
  const { name, language } = parse(AppCreate, input);
  const identity = identify(name, language);
  refuseLongName(identity.name);
  return await appRecords.create(work, { ...newValues(AppCreate, input, identity), ...identity });
}

/** Errors: `invalid` (also for another kind while versions are modules of others), `taken`. */
export async function updateApp(work: WriteWork, current: App, input: unknown): Promise<App> {
  const { name, language, ...given } = parse(AppUpdate, input);
  const values = { ...changed(current, given), ...identifyAnew(current, name, language) };
  if (values.name !== current.name) refuseLongName(values.name);
  await appRecords.refuseTaken(work, values, current);
  if (current.kind === 'module' && values.kind !== 'module' && (await isModuleInUse(work, current.id))) {
    throw invalid('kind', 'must stay module: versions of this application are modules of others');
  }
  return await appRecords.update(work, current, values);
}

/** The model limits the name that was given, not the one with its suffix. */
function refuseLongName(name: string): void {
  if (Array.from(name).length > MAX_APP_NAME) {
    throw invalid('name', `must have at most ${MAX_APP_NAME} characters with its suffix`);
  }
}

/** Deletes its versions too (contract 20). Errors: `too_many_records`. */
export async function deleteApp(work: WriteWork, app: App): Promise<void> {
  await deleteAppVersionsOf(work, app);
  await appRecords.delete(work, app);
}
