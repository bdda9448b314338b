import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { normalized } from '../../platform/text.js';
import { parse } from '../../platform/validate.js';
import { AppCreate, AppUpdate, MAX_APP_NAME, type App } from './app.model.js';
import {
  findApp,
  findAppByName,
  insertApp,
  isModuleInUse,
  selectApps,
  selectAppsByNames,
  updateAppRow,
  type AppValues,
} from './app.repository.js';
import { identify, identifyAnew } from './app.rules.js';

export { apps } from './app.repository.js';

export async function getApp(work: ReadWork, id: number): Promise<App> {
  const app = await findApp(work, id);
  if (app === undefined) throw notFound('app');
  return app;
}

export async function getAppByName(work: ReadWork, name: string): Promise<App> {
  const app = await findAppByName(work, normalized(name));
  if (app === undefined) throw notFound('app');
  return app;
}

/** In one statement; what the company does not have is absent. */
export async function findAppsByNames(
  work: ReadWork,
  names: readonly string[],
): Promise<ReadonlyMap<string, App>> {
  const found = await selectAppsByNames(work, names);
  return new Map(found.map((app) => [app.name, app]));
}

/** Ascending by id. */
export async function listApps(work: ReadWork, request: PageRequest): Promise<Page<App>> {
  const total = await countOf(work, 'apps');
  return { records: await selectApps(work, request), total, request };
}

/** Errors: `invalid`, `taken`. */
export async function createApp(work: WriteWork, input: unknown): Promise<App> {
  const { name, language, description = null, kind, communicationFormat } = parse(AppCreate, input);
  const values = { ...identify(name, language), description, kind, communicationFormat };
  await refuseName(work, values.name);
  const app = await insertApp(work, values);
  work.ledger.append({ action: 'create', entityType: 'app', entityId: app.id, after: app });
  return app;
}

/** Errors: `invalid` (also a kind that others rely on), `taken`. */
export async function updateApp(work: WriteWork, current: App, input: unknown): Promise<App> {
  const { name, language, ...given } = parse(AppUpdate, input);
  const values: AppValues = {
    description: given.description === undefined ? current.description : given.description,
    kind: given.kind ?? current.kind,
    communicationFormat: given.communicationFormat ?? current.communicationFormat,
    ...identifyAnew(current, name, language),
  };
  if (values.name !== current.name) await refuseName(work, values.name);
  if (current.kind === 'module' && values.kind !== 'module' && (await isModuleInUse(work, current.id))) {
    throw invalid('kind', 'must stay module: versions of this application are modules of others');
  }
  const app = await updateAppRow(work, current, values);
  work.ledger.append({
    action: 'update',
    entityType: 'app',
    entityId: app.id,
    before: current,
    after: app,
  });
  return app;
}

async function refuseName(work: ReadWork, name: string): Promise<void> {
  if (Array.from(name).length > MAX_APP_NAME) {
    throw invalid('name', `must have at most ${MAX_APP_NAME} characters with its suffix`);
  }
  if ((await findAppByName(work, name)) !== undefined) {
    throw taken('name', 'An application with this name exists already.');
  }
}
