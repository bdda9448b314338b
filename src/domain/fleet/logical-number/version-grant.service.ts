import type { ReadWork, WriteWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { invalid } from '../../../platform/errors.js';
import { appsOfVersions } from '../../software/app-version/version-apps.service.js';
import type { LogicalNumber, LogicalNumberHead } from './logical-number.model.js';
import { logicalNumberHeads } from './logical-number.records.service.js';
import { logicalNumberTable, withVersions } from './logical-number.repository.js';
import { partsOf, versionsAfterGrant, type VersionGrant } from './version-grant.rules.js';
import {
  deleteLinks,
  insertLinks,
  selectVersionsOfGroups,
  type VersionLink,
} from './version-links.repository.js';

export type { GrantMode, VersionGrant } from './version-grant.rules.js';

/** Groups per statement: with 100 versions, it reads 10,000 links. */
const GROUPS_PER_QUERY = 100;

/** Changes the versions of some of the logical numbers; resolves to how many have changed. */
export type GrantPart = (work: WriteWork) => Promise<number>;

/**
 * The change of the versions of many logical numbers in parts, each to be made in a unit of work of its own,
 * so that other changes can be made between them. Errors: `invalid` if a version is not linked to the group
 * of each number, unless it is removed. One statement for 100 groups.
 */
export async function planVersionGrant(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
  grant: VersionGrant,
): Promise<readonly GrantPart[]> {
  if (grant.mode !== 'remove') await refuseUnlinked(work, numbers, grant.appVersionIds);
  const ids = numbers.map(({ id }) => id);
  return partsOf(ids, grant).map((part) => (later) => changePart(later, part, grant));
}

/** The numbers that the grant would change now. */
export async function findChanging(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
  grant: VersionGrant,
): Promise<readonly LogicalNumberHead[]> {
  const byId = new Map(numbers.map((number) => [number.id, number]));
  const changing: LogicalNumber[] = [];
  for (const ids of partsOf([...byId.keys()], grant)) {
    const part = await withVersions(
      work,
      ids.flatMap((id) => byId.get(id) ?? []),
    );
    changing.push(...(await changesOf(work, part, grant)).changed);
    await yieldToEventLoop();
  }
  return changing;
}

async function refuseUnlinked(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
  appVersionIds: readonly number[],
): Promise<void> {
  const isLinked = await linksOfGroups(work, numbers, appVersionIds);
  const refused = numbers.filter((number) => !isLinked(number));
  const [first] = refused;
  if (first === undefined) return;
  throw invalid(
    'appVersionIds',
    `must be app versions that are attached to the group of each logical number. They are not for ${refused.length} of ${numbers.length}, for example ${first.number}. Attach them with groupAttachAppVersions`,
  );
}

/** Whether all of the versions are linked to the group of a number. */
async function linksOfGroups(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
  appVersionIds: readonly number[],
): Promise<(number: LogicalNumberHead) => boolean> {
  const groupIds = [...new Set(numbers.flatMap(({ groupId }) => groupId ?? []))];
  const linked = new Set<number>();
  for (let start = 0; start < groupIds.length; start += GROUPS_PER_QUERY) {
    if (start > 0) await yieldToEventLoop();
    const part = groupIds.slice(start, start + GROUPS_PER_QUERY);
    const versions = await selectVersionsOfGroups(work, part, appVersionIds);
    for (const [group, own] of versions) if (own.length === appVersionIds.length) linked.add(group);
  }
  return ({ groupId }) => appVersionIds.length === 0 || (groupId !== null && linked.has(groupId));
}

/**
 * Changes a part of the numbers. Ignores numbers that were deleted after the plan, and numbers that would get
 * versions which are no longer linked to their group. The number of statements does not depend on the number
 * of logical numbers or versions.
 */
async function changePart(work: WriteWork, ids: readonly number[], grant: VersionGrant): Promise<number> {
  const { changed, after } = await changesOf(work, await presentNumbers(work, ids, grant), grant);
  if (changed.length === 0) return 0;
  await replaceLinks(work, changed, after);
  await logicalNumberHeads.updateAll(work, changed, {}, ({ id }) => ({ appVersionIds: after.get(id) ?? [] }));
  return changed.length;
}

/** The numbers whose versions change, and all their versions afterwards. */
async function changesOf(work: ReadWork, numbers: readonly LogicalNumber[], grant: VersionGrant) {
  const isOfGrantedApp = await findAppsOf(work, numbers, grant);
  const after = new Map(
    numbers.map(({ id, appVersionIds }) => [id, versionsAfterGrant(grant, appVersionIds, isOfGrantedApp)]),
  );
  const changed = numbers.filter(({ id, appVersionIds }) => after.get(id)?.join() !== appVersionIds.join());
  return { changed, after };
}

async function presentNumbers(
  work: WriteWork,
  ids: readonly number[],
  { mode, appVersionIds }: VersionGrant,
): Promise<readonly LogicalNumber[]> {
  const heads = await logicalNumberTable.select(work, { id: ids });
  const isLinked = mode === 'remove' ? () => true : await linksOfGroups(work, heads, appVersionIds);
  return await withVersions(work, heads.filter(isLinked));
}

/** Whether a version has the same app as a granted one, if versions are replaced. */
async function findAppsOf(
  work: ReadWork,
  numbers: readonly LogicalNumber[],
  { mode, appVersionIds }: VersionGrant,
): Promise<(appVersionId: number) => boolean> {
  if (mode !== 'replace_of_same_app') return () => false;
  const held = numbers.flatMap((number) => number.appVersionIds);
  const apps = await appsOfVersions(work, [...appVersionIds, ...held]);
  const granted = new Set(appVersionIds.map((id) => apps.get(id)));
  return (id) => granted.has(apps.get(id));
}

async function replaceLinks(
  work: WriteWork,
  numbers: readonly LogicalNumber[],
  after: ReadonlyMap<number, readonly number[]>,
): Promise<void> {
  const [removed, added]: [VersionLink[], VersionLink[]] = [[], []];
  for (const { id, appVersionIds } of numbers) {
    const versions = after.get(id) ?? [];
    const [had, has] = [new Set(appVersionIds), new Set(versions)];
    const linksOf = (ids: readonly number[]): VersionLink[] =>
      ids.map((appVersionId) => ({ logicalNumberId: id, appVersionId }));
    removed.push(...linksOf(appVersionIds.filter((version) => !has.has(version))));
    added.push(...linksOf(versions.filter((version) => !had.has(version))));
  }
  if (removed.length > 0) await deleteLinks(work, removed);
  await insertLinks(work, added);
}
