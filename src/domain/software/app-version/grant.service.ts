import type { Condition } from '../../../database/list/condition.js';
import type { ReadWork } from '../../../database/work.js';
import { invalid } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import {
  affected,
  demandCount,
  findTarget,
  type Affected,
  type NumberTarget,
} from '../../fleet/logical-number/target.service.js';
import {
  findChanging,
  planVersionGrant,
  type GrantMode,
  type GrantPart,
} from '../../fleet/logical-number/version-grant.service.js';
import { AppVersionGrant } from './app-version.model.js';
import { appsOfVersions, refuseSameApp } from './version-apps.service.js';

const MAX_VERSIONS = 100;
const MAX_NUMBERS = 10_000;
/** Maximum number of logical numbers multiplied by number of versions. */
const MAX_LINKS = 100_000;

export interface GrantRequest {
  /** An `AppVersionGrant`. */
  readonly input: unknown;
  /** Filter that selects logical numbers, instead of a group or a list; undefined if none is given. */
  readonly condition: Condition | undefined;
  /** Whether all logical numbers of the company are the target. */
  readonly all: boolean;
  readonly mode: GrantMode;
  /** True to return what would change, without changing it. */
  readonly dryRun: boolean;
  /** Expected number of logical numbers that change; null or undefined for any. */
  readonly expectCount: number | null | undefined;
}

interface GrantPlan {
  readonly parts: readonly GrantPart[];
  /** Logical numbers that would change; null unless `dryRun`. */
  readonly tried: Affected | null;
}

/**
 * Plans to give app versions to many logical numbers, or to take them away, in parts, see `planVersionGrant`.
 * The whole request is checked before the first part. Errors: `invalid`, `too_many_records`.
 */
export async function planGrant(
  work: ReadWork,
  { input, mode, dryRun, expectCount, ...selected }: GrantRequest,
): Promise<GrantPlan> {
  const { appVersionIds, ...given } = parse(AppVersionGrant, input);
  const target = targetOf(given, selected);
  if (appVersionIds.length > MAX_VERSIONS) {
    throw invalid('appVersionIds', `must have at most ${MAX_VERSIONS} entries`);
  }
  const apps = await appsOfVersions(work, appVersionIds);
  if (apps.size < appVersionIds.length) throw invalid('appVersionIds', 'must hold ids of app versions only');
  if (mode === 'replace_of_same_app') refuseSameApp(apps);
  const fitting = Math.floor(MAX_LINKS / Math.max(appVersionIds.length, 1));
  const numbers = await findTarget(work, target, Math.min(MAX_NUMBERS, fitting));
  const grant = { mode, appVersionIds };
  const parts = await planVersionGrant(work, numbers, grant);
  if (!dryRun && expectCount == null) return { parts, tried: null };
  const changing = affected(await findChanging(work, numbers, grant));
  demandCount(changing.count, expectCount);
  return dryRun ? { parts: [], tried: changing } : { parts, tried: null };
}

/** Refuses ambiguous requests, which could change the wrong terminals. */
function targetOf(
  { groupId, logicalNumbers }: Omit<AppVersionGrant, 'appVersionIds'>,
  { condition, all }: Pick<GrantRequest, 'condition' | 'all'>,
): NumberTarget {
  const targets: NumberTarget[] = [
    ...(groupId == null ? [] : [{ groupId }]),
    ...(logicalNumbers == null ? [] : [{ logicalNumbers }]),
    ...(condition === undefined ? [] : [{ filter: condition }]),
    ...(all ? [{ filter: null }] : []),
  ];
  if (logicalNumbers?.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  const [target, ...more] = targets;
  if (target === undefined || more.length > 0) {
    throw invalid('target', 'must have exactly one of groupId, logicalNumbers, filter and all: true');
  }
  return target;
}
