import type { ReadWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { appVersionTable } from './app-version.repository.js';
import { findSameApp } from './app-version.rules.js';

/**
 * The app of each app version, by the id of the version. Versions that the company does not have are absent.
 */
export type AppsOfVersions = ReadonlyMap<number, number>;

/** One statement. */
export async function appsOfVersions(
  work: ReadWork,
  appVersionIds: readonly number[],
): Promise<AppsOfVersions> {
  const versions = await appVersionTable.select(work, { id: [...new Set(appVersionIds)] });
  return new Map(versions.map(({ id, appId }) => [id, appId]));
}

/** Errors: `invalid` if two of the versions belong to the same app. */
export function refuseSameApp(apps: AppsOfVersions): void {
  const pair = findSameApp(apps);
  if (pair === undefined) return;
  throw invalid(
    'appVersionIds',
    `must have at most one version of each app: ${pair.join(' and ')} are of one app`,
  );
}
