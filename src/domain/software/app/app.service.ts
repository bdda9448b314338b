import { Records } from '../../../database/company/records.js';
import type { WriteWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { changed, newValues, parse } from '../../../platform/validate.js';
import { deleteAppVersionsOf } from './app-version.service.js';
import { type App, AppCreate, AppUpdate, type Language, MAX_APP_NAME } from './app.model.js';
import { appTable, isModuleInUse } from './app.repository.js';

export { apps } from './app.repository.js';

const appRecords = new Records(appTable, {
  field: 'name',
  message: 'An application with this name exists already.',
});

export const {
  get: getApp,
  getByName: getAppByName,
  findByNames: findAppsByNames,
  list: listApps,
  refuseUnknown: refuseUnknownApp,
} = appRecords;

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
    throw invalid('name', 'must have at most {maximum} characters with its suffix', {
      maximum: MAX_APP_NAME,
    });
  }
}

/** Deletes its versions too (contract 20). Errors: `too_many_records`. */
export async function deleteApp(work: WriteWork, app: App): Promise<void> {
  await deleteAppVersionsOf(work, app);
  await appRecords.delete(work, app);
}

const SUFFIXES: Readonly<Record<Language, string>> = { posxml: '.posxml', ruby: '.rb' };

type Identity = Pick<App, 'name' | 'language'>;

/** Language and name of a new application: `menu` becomes `menu.posxml`, a Ruby name stays (contract 20). */
export function identify(name: string, language?: Language): Identity {
  const chosen = language ?? languageOf(name) ?? 'posxml';
  return { name: chosen === 'ruby' ? name : withPosxmlSuffix(name), language: chosen };
}

/** Identity after a change. A new name may imply a language; a new language alone replaces the suffix. */
export function identifyAnew(current: Identity, name?: string, language?: Language): Identity {
  if (name !== undefined) return identify(name, language ?? languageOf(name) ?? current.language);
  if (language === undefined || language === current.language) {
    return { name: current.name, language: current.language };
  }
  return identify(nameWithoutSuffix(current, language), language);
}

function languageOf(name: string): Language | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith(SUFFIXES.posxml)) return 'posxml';
  return lower.endsWith(SUFFIXES.ruby) ? 'ruby' : undefined;
}

/** Adds the suffix in lower case; replaces one in another letter case. */
function withPosxmlSuffix(name: string): string {
  const suffix = SUFFIXES.posxml;
  return languageOf(name) === 'posxml' ? name.slice(0, -suffix.length) + suffix : name + suffix;
}

/** The name without its suffix; the whole name if it has none, or if the rest is not a valid name. */
function nameWithoutSuffix(current: Identity, language: Language): string {
  if (languageOf(current.name) !== current.language) return current.name;
  const rest = current.name.slice(0, -SUFFIXES[current.language].length);
  return language === 'posxml' || AppCreate.shape.name.safeParse(rest).success ? rest : current.name;
}
