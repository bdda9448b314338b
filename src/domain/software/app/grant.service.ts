import { CompanyRows } from '../../../database/company/company-rows.js';
import type { Condition } from '../../../database/list/condition.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import { invalid, requireAtMost } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import type { Group } from '../../fleet/group/group.model.js';
import { groupRecords } from '../../fleet/group/group.service.js';
import {
  type AffectedNumbers,
  affectedNumbers,
  type LogicalNumber,
  type LogicalNumberHead,
  requireExpectedCount,
} from '../../fleet/logical-number/logical-number.model.js';
import {
  logicalNumbers,
  withVersions,
  findTarget,
  type NumberTarget,
} from '../../fleet/logical-number/logical-number.service.js';
import { dropVersionLinks, replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import {
  appVersionRecords,
  appVersions,
  ascending,
  difference,
  dropAssociations,
  idsOf,
} from './app-version.service.js';
import { AppVersionGrant, AppVersionLinks, type AssociatedVersion } from './app.model.js';
import { appVersionTable, insertAssociations, withAssociations } from './app.repository.js';

const MAX_VERSIONS = 100;
const MAX_NUMBERS = 10_000;
/** Maximum number of logical numbers multiplied by number of versions. */
const MAX_LINKS = 100_000;
/** Maximum changes of one transaction: other changes wait for it. */
const NUMBERS_PER_PART = 200;
const LINKS_PER_PART = 1_000;
/** Groups per statement: with 100 versions, it reads 10,000 links. */
const GROUPS_PER_QUERY = 100;

const groupLinks = new CompanyRows('app_version_groups');
const defaults = new CompanyRows('group_default_versions');

export type GrantMode = 'add' | 'remove' | 'replace_of_same_app';

/** App versions that many logical numbers get or lose. */
export interface VersionGrant {
  readonly mode: GrantMode;
  readonly appVersionIds: readonly number[];
}

export interface GrantRequest {
  readonly input: unknown;
  /** Filters that select logical numbers, instead of a group or a list. */
  readonly conditions: readonly Condition[];
  readonly all: boolean;
  readonly mode: GrantMode;
  readonly dryRun: boolean;
  /** Number of logical numbers that must change; null or undefined for any. */
  readonly expectCount: number | null | undefined;
}

/** Each changes the versions of some of the logical numbers; resolves to how many have changed. */
type Parts = readonly ((work: WriteWork) => Promise<number>)[];

/**
 * Plans to give app versions to many logical numbers, or to take them away, in parts, see `planVersionGrant`.
 * The whole request is checked before the first part. `tried` is what would change; null unless `dryRun`.
 * Errors: `invalid`, `too_many_records`.
 */
export async function planGrant(
  work: ReadWork,
  { input, mode, dryRun, expectCount, ...selected }: GrantRequest,
): Promise<{ readonly parts: Parts; readonly tried: AffectedNumbers | null }> {
  const { appVersionIds, ...given } = parse(AppVersionGrant, input);
  const target = targetOf(given, selected);
  requireAtMost('appVersionIds', appVersionIds.length, MAX_VERSIONS);
  await requireVersions(work, { mode, appVersionIds });
  const fitting = Math.floor(MAX_LINKS / Math.max(appVersionIds.length, 1));
  const numbers = await findTarget(work, target, Math.min(MAX_NUMBERS, fitting));
  const grant = { mode, appVersionIds };
  const parts = await planVersionGrant(work, numbers, grant);
  if (!dryRun && expectCount == null) return { parts, tried: null };
  const changing = affectedNumbers(await findChanging(work, numbers, grant));
  requireExpectedCount(changing.count, expectCount);
  return dryRun ? { parts: [], tried: changing } : { parts, tried: null };
}

/** Refuses unknown versions, and several of one app in the place of others. Errors: `invalid`. */
export async function requireVersions(work: ReadWork, { mode, appVersionIds }: VersionGrant): Promise<void> {
  const apps = await appsOfVersions(work, appVersionIds);
  if (apps.size < appVersionIds.length)
    throw invalid('appVersionIds', 'must hold ids of {what} only', { what: 'app versions' });
  if (mode === 'replace_of_same_app') refuseSameApp(apps);
}

/** Refuses ambiguous requests, which could change the wrong terminals. */
export function targetOf(
  { groupId, logicalNumbers }: Omit<AppVersionGrant, 'appVersionIds'>,
  { conditions, all }: Pick<GrantRequest, 'conditions' | 'all'>,
): NumberTarget {
  const targets: NumberTarget[] = [
    ...(groupId == null ? [] : [{ groupId }]),
    ...(logicalNumbers == null ? [] : [{ logicalNumbers }]),
    ...conditions.map((filter) => ({ filter })),
    ...(all ? [{ filter: null }] : []),
  ];
  if (logicalNumbers?.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  const [target, ...more] = targets;
  if (target === undefined || more.length > 0) {
    throw invalid('target', 'must have exactly one of {choices}', {
      choices: 'groupId, logicalNumbers, filter, deviceFilter, savedFilterId and all: true',
    });
  }
  return target;
}

/**
 * The change of the versions of many logical numbers in parts, each to be made in a unit of work of its own,
 * so that other changes can be made between them. Errors: `invalid` if a version is not linked to the group
 * of each number, unless it is removed. One statement for 100 groups.
 */
export async function planVersionGrant(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
  grant: VersionGrant,
): Promise<Parts> {
  const fitting = new Set(await linkedNumbers(work, numbers, grant));
  const first = numbers.find((number) => !fitting.has(number));
  if (first !== undefined) {
    throw invalid(
      'appVersionIds',
      'must be app versions that are attached to the group of each logical number. They are not for {count} of {total}, for example {example}. Attach them with groupAttachAppVersions',
      { count: numbers.length - fitting.size, total: numbers.length, example: first.number },
    );
  }
  const ids = numbers.map(({ id }) => id);
  const parts: ((work: WriteWork) => Promise<number>)[] = [];
  for await (const part of inParts(ids, numbersPerPart(grant))) {
    parts.push(async (later) => {
      const changes = [...(await grantVersions(later, part, grant)).values()];
      return changes.filter(({ added, removed }) => added.length + removed.length > 0).length;
    });
  }
  return parts;
}

async function findChanging(work: ReadWork, numbers: readonly LogicalNumberHead[], grant: VersionGrant) {
  const changing: LogicalNumber[] = [];
  for await (const part of inParts(numbers, numbersPerPart(grant))) {
    changing.push(...(await changesOf(work, await withVersions(work, part), grant)).changed);
  }
  return changing;
}

/** The numbers to whose groups all of the versions are linked; all numbers if the versions are removed. */
export async function linkedNumbers<Number extends LogicalNumberHead>(
  work: ReadWork,
  numbers: readonly Number[],
  { mode, appVersionIds }: VersionGrant,
): Promise<readonly Number[]> {
  if (mode === 'remove' || appVersionIds.length === 0) return numbers;
  const groupIds = [...new Set(numbers.flatMap(({ groupId }) => groupId ?? []))];
  const linked = new Set<number | null>();
  for await (const part of inParts(groupIds, GROUPS_PER_QUERY)) {
    const byGroup = Map.groupBy(await linksOf(work, part, appVersionIds), (link) => link.group_id);
    for (const [group, own] of byGroup) if (own.length === appVersionIds.length) linked.add(group);
  }
  return numbers.filter(({ groupId }) => linked.has(groupId));
}

/**
 * Changes numbers that exist and whose groups still have the versions, in a constant number of statements. Returns the
 * ids of the versions that each has got and lost by its id; the other numbers are absent.
 */
export async function grantVersions(work: WriteWork, ids: readonly number[], grant: VersionGrant) {
  const found = await logicalNumbers.byIds(work, ids);
  const heads = ids.flatMap((id) => found.get(id) ?? []);
  const present = await withVersions(work, await linkedNumbers(work, heads, grant));
  const { changed, after } = await changesOf(work, present, grant);
  if (changed.length > 0) await replaceVersions(work, changed, after);
  return new Map(
    present.map(({ id, appVersionIds }) => [id, difference(appVersionIds, after.get(id) ?? [])] as const),
  );
}

/** The numbers whose versions change, and the versions of all numbers afterwards, ascending. */
async function changesOf(
  work: ReadWork,
  numbers: readonly LogicalNumber[],
  { mode, appVersionIds: granted }: VersionGrant,
) {
  const held = numbers.flatMap(({ appVersionIds }) => appVersionIds);
  const isReplacing = mode === 'replace_of_same_app';
  const apps = await appsOfVersions(work, isReplacing ? [...granted, ...held] : []);
  const grantedApps = new Set(granted.map((id) => apps.get(id)));
  const isLost = {
    add: () => false,
    remove: (id: number) => granted.includes(id),
    replace_of_same_app: (id: number) => grantedApps.has(apps.get(id)),
  }[mode];
  const added = mode === 'remove' ? [] : granted;
  const after = new Map(
    numbers.map(({ id, appVersionIds }) => {
      const kept = appVersionIds.filter((each) => !isLost(each));
      return [id, ascending([...new Set([...kept, ...added])])] as const;
    }),
  );
  const changed = numbers.filter(({ id, appVersionIds }) => after.get(id)?.join() !== appVersionIds.join());
  return { changed, after };
}

/** Logical numbers of one transaction: at most 200, with some 1,000 links. */
function numbersPerPart({ appVersionIds }: VersionGrant): number {
  const fitting = Math.floor(LINKS_PER_PART / Math.max(appVersionIds.length, 1));
  return Math.max(1, Math.min(NUMBERS_PER_PART, fitting));
}

/** The links of these groups with these app versions. One statement. */
export const linksOf = (work: ReadWork, groupIds: readonly number[], appVersionIds: readonly number[]) =>
  groupLinks.select(work, { group_id: groupIds, app_version_id: appVersionIds });

/** App ids by version id; versions that the company does not have are absent. One statement. */
async function appsOfVersions(work: ReadWork, appVersionIds: readonly number[]) {
  const versions = await appVersions.byIds(work, [...new Set(appVersionIds)]);
  return new Map([...versions.values()].map(({ id, appId }) => [id, appId]));
}

/** Errors: `invalid` if two of the versions, given as app ids by version id, belong to the same app. */
function refuseSameApp(apps: ReadonlyMap<number, number>): void {
  const versions = ascending([...apps.keys()]);
  for (const [one, other] of Map.groupBy(versions, (id) => apps.get(id)).values()) {
    if (other === undefined) continue;
    throw invalid('appVersionIds', 'must have at most one version of each app: {values} are of one app', {
      values: `${one} and ${other}`,
    });
  }
}

/** Attaches app versions to a group in a constant number of statements. Errors: `invalid`. */
export async function attachToGroup(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const versions = (await versionsIn(work, input)).filter((version) => !version.groupIds.includes(group.id));
  if (versions.length === 0) return group;
  await insertAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await appVersionRecords.updateAll(work, versions, {}, ({ groupIds }) => ({
    groupIds: ascending([...groupIds, group.id]),
  }));
  return group;
}

/** Detaches app versions from a group and its logical numbers (contract 21). Errors: `invalid`, `too_many_records`. */
export async function detachFromGroup(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const versions = (await versionsIn(work, input)).filter((version) => version.groupIds.includes(group.id));
  if (versions.length === 0) return group;
  await dropVersionLinks(work, idsOf(versions), [group.id]);
  await dropAssociations(work, 'groupIds', versions, [group.id]);
  return group;
}

async function versionsIn(work: ReadWork, input: unknown): Promise<readonly AssociatedVersion[]> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const versions = await appVersionTable.select(work, { id: appVersionIds });
  if (versions.length < appVersionIds.length)
    throw invalid('appVersionIds', 'must hold ids of {what} only', { what: 'app versions' });
  return await withAssociations(work, versions);
}

/** Replaces the versions that a logical number gets when it enters the group, not those it has. Errors: `invalid`. */
export async function setDefaultVersions(work: WriteWork, group: Group, input: unknown): Promise<Group> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const attached = (await linksOf(work, [group.id], appVersionIds)).map((link) => link.app_version_id);
  const { added: refused } = difference(attached, appVersionIds);
  if (refused.length > 0) {
    throw invalid('appVersionIds', 'must be app versions that are attached to the group: not {values}', {
      values: refused.join(', '),
    });
  }
  refuseSameApp(await appsOfVersions(work, appVersionIds));
  const rows = await defaults.select(work, { group_id: group.id });
  const before = ascending(rows.map((row) => row.app_version_id));
  const { removed, added } = difference(before, appVersionIds);
  if (removed.length + added.length === 0) return group;
  if (removed.length > 0) await defaults.delete(work, { group_id: group.id, app_version_id: removed });
  const links = added.map((id) => ({ group_id: group.id, app_version_id: id }));
  await defaults.insert(work, links);
  const recorded = { ...group, defaultAppVersionIds: before };
  const after = { defaultAppVersionIds: ascending(appVersionIds) };
  const [changed = group] = await groupRecords.updateAll(work, [recorded], {}, () => after);
  return changed;
}
