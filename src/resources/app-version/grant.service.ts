import type { Condition } from '../../database/list/condition.js';
import type { ReadWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import { findTarget, type NumberTarget } from '../logical-number/target.service.js';
import { planVersionGrant, type GrantMode, type GrantPart } from '../logical-number/version-grant.service.js';
import { AppVersionGrant } from './app-version.model.js';
import { appsOfVersions, refuseSameApp } from './version-apps.service.js';

const MAX_VERSIONS = 100;
const MAX_NUMBERS = 10_000;
/** Logical numbers times versions. */
const MAX_LINKS = 100_000;

export interface GrantRequest {
  /** An `AppVersionGrant`. */
  readonly input: unknown;
  /** A filter in the place of a group or logical numbers: undefined if none is given, null for one without conditions. */
  readonly condition: Condition | null | undefined;
  readonly mode: GrantMode;
}

/**
 * Plans to give app versions to many logical numbers, or to take them away, in parts: see `planVersionGrant`. All of the
 * request is checked before the first part. Errors: `invalid`, `too_many_records`.
 */
export async function planGrant(
  work: ReadWork,
  { input, condition, mode }: GrantRequest,
): Promise<readonly GrantPart[]> {
  const { appVersionIds, ...given } = parse(AppVersionGrant, input);
  const target = targetOf(given, condition);
  if (appVersionIds.length > MAX_VERSIONS) {
    throw invalid('appVersionIds', `must have at most ${MAX_VERSIONS} entries`);
  }
  const apps = await appsOfVersions(work, appVersionIds);
  if (apps.size < appVersionIds.length) throw invalid('appVersionIds', 'must hold ids of app versions only');
  if (mode === 'replace_of_same_app') refuseSameApp(apps);
  const fitting = Math.floor(MAX_LINKS / Math.max(appVersionIds.length, 1));
  const numbers = await findTarget(work, target, Math.min(MAX_NUMBERS, fitting));
  return await planVersionGrant(work, numbers, { mode, appVersionIds });
}

/** Refuses ambiguous requests, which could change the wrong terminals. */
function targetOf(
  { groupId, logicalNumbers }: Omit<AppVersionGrant, 'appVersionIds'>,
  condition: GrantRequest['condition'],
): NumberTarget {
  const targets: NumberTarget[] = [
    ...(groupId == null ? [] : [{ groupId }]),
    ...(logicalNumbers == null ? [] : [{ logicalNumbers }]),
    ...(condition === undefined ? [] : [{ filter: condition }]),
  ];
  if (logicalNumbers?.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  const [target, ...more] = targets;
  if (target === undefined || more.length > 0) {
    throw invalid('target', 'must have exactly one of groupId, logicalNumbers and filter');
  }
  return target;
}
