import { CompanyRows } from '../../../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, errorAt, MAX_DELETED_TOGETHER, tooManyRecords } from '../../../platform/errors.js';
import { rule } from '../../../platform/rules.js';
import type { Ids } from '../../../platform/validate.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberHeads, logicalNumberTable, withVersions } from './logical-number.service.js';
import * as store from './version-links.repository.js';

const devices = new CompanyRows('devices');

const FORCE_IT = 'Send force: true to make the change anyway.';

/** Links that one statement deletes, except for a number that alone has more. */
const LINKS_PER_PART = 250;

/** Removes versions from numbers of groups, or of all (undefined); called first (contract 21). Errors: `too_many_records`. */
export async function dropVersionLinks(work: WriteWork, versionIds: Ids, groupIds?: Ids): Promise<void> {
  if (versionIds.length === 0 || groupIds?.length === 0) return;
  const links = await store.selectLinksOfVersions(work, versionIds, groupIds, MAX_DELETED_TOGETHER + 1);
  if (links.length > MAX_DELETED_TOGETHER) {
    const total = await store.countLinksOfVersions(work, versionIds, groupIds);
    throw tooManyRecords(
      'The change',
      `${total} links of logical numbers with app versions to delete`,
      MAX_DELETED_TOGETHER,
      'first remove the versions from the logical numbers in parts (appVersionGrant with the mode REMOVE and a filter, or PUT /v1/logical_numbers)',
    );
  }
  const gone = new Set(versionIds);
  for (const [index, part] of partsOf(links).entries()) {
    if (index > 0) await yieldToEventLoop();
    const ids = [...new Set(part.map(({ logicalNumberId }) => logicalNumberId))];
    const before = await withVersions(work, await logicalNumberTable.select(work, { id: ids }));
    const kept = before.map(
      (number) => [number.id, number.appVersionIds.filter((id) => !gone.has(id))] as const,
    );
    await replaceVersions(work, before, new Map(kept));
  }
}

/** Gives logical numbers other app versions, `after` by the id of the number, and a group; each change is recorded. */
export async function replaceVersions(
  work: WriteWork,
  numbers: readonly LogicalNumber[],
  after: store.Versions,
  groupId?: number | null,
) {
  await store.replaceLinks(work, numbers, after);
  const moved = groupId === undefined ? {} : { group_id: groupId };
  await logicalNumberHeads.updateAll(work, numbers, moved, ({ id }) => ({
    appVersionIds: after.get(id) ?? [],
  }));
}

/** For devices whose logical number has changed: their terminals get what the new one has, and lose what the former one had. */
export async function followNumbers(
  work: WriteWork,
  moved: readonly { readonly id: number; readonly logicalNumberId: number | null }[],
): Promise<void> {
  if (moved.length === 0) return;
  await store.withdrawFromDevices(
    work,
    moved.map(({ id }) => id),
  );
  const assigned = moved.filter(({ logicalNumberId }) => logicalNumberId !== null);
  if (assigned.length > 0) await grantToDevices(work, assigned);
}

/** The terminals of devices get what the logical number of the device has. */
export async function grantToDevices(work: WriteWork, created: readonly { readonly id: number }[]) {
  await store.grantToDevices(
    work,
    created.map(({ id }) => id),
  );
}

/** Logical numbers of groups that have one of the versions; null if they have more than `limit` links with them. */
export async function numbersWithVersions(work: ReadWork, versionIds: Ids, groupIds: Ids, limit: number) {
  const links = await store.selectLinksOfVersions(work, versionIds, groupIds, limit + 1);
  if (links.length > limit) return null;
  const ids = [...new Set(links.map(({ logicalNumberId }) => logicalNumberId))];
  return await withVersions(work, await logicalNumberTable.select(work, { id: ids }));
}

/** The links in parts, so that all links of a logical number are in one part. */
function partsOf(links: readonly store.VersionLink[]): readonly (readonly store.VersionLink[])[] {
  const parts: store.VersionLink[][] = [];
  for (const own of Map.groupBy(links, (link) => link.logicalNumberId).values()) {
    const last = parts.at(-1);
    if (last === undefined || last.length + own.length > LINKS_PER_PART) parts.push(own);
    else last.push(...own);
  }
  return parts;
}

/** Refuses to remove versions from logical numbers of groups, or of all (undefined), that terminals use. Errors: `in_use`. */
export async function refuseLoss(work: ReadWork, versionIds: Ids, groupIds?: Ids): Promise<void> {
  if (versionIds.length === 0 || groupIds?.length === 0) return;
  const { terminals, more } = await store.countHolders(work, versionIds, groupIds);
  if (terminals > 0 || more) throw inUse(terminals, more);
}

/** Refuses to move a number to a group without versions that its terminals have. Errors: `in_use`. */
export async function refuseLossByMove(
  work: ReadWork,
  current: LogicalNumber,
  { groupId, appVersionIds: chosen }: { readonly groupId?: unknown; readonly appVersionIds?: unknown },
): Promise<void> {
  const isMoved = groupId !== undefined && groupId !== current.groupId;
  if (!isMoved || chosen !== undefined || current.appVersionIds.length === 0) return;
  const kept =
    typeof groupId === 'number'
      ? await store.selectVersionsLinkedToGroup(work, groupId, current.appVersionIds)
      : [];
  if (kept.length === current.appVersionIds.length) return;
  const terminals = await devices.count(work, { logical_number_id: current.id });
  if (terminals > 0) throw inUse(terminals, false);
}

/** A logical number, and the group that it gets; null: none. */
interface Move {
  readonly number: Pick<LogicalNumber, 'id' | 'groupId'>;
  readonly groupId: number | null;
}

/** The errors of logical numbers, by their ids, whose terminals would lose app versions by a move; none with `force`. One statement. */
export async function lossesByMove(
  work: ReadWork,
  moves: readonly Move[],
  force: boolean | null | undefined,
): Promise<ReadonlyMap<number, DomainError>> {
  const moving = moves.filter(({ number, groupId }) => number.groupId !== groupId);
  if (force === true || moving.length === 0) return new Map();
  const pairs = moving.map(({ number, groupId }) => [number.id, groupId ?? 0] as const);
  const message = `Its terminals would lose app versions. ${FORCE_IT}`;
  const losing = await store.selectLosing(work, pairs);
  return new Map(losing.map((id) => [id, new DomainError('in_use', message)]));
}

/** Refuses to replace the bytes of a version that a logical number or a terminal has. Errors: `in_use`. */
export async function refuseOtherBytes(work: ReadWork, appVersionId: number): Promise<void> {
  const match = { app_version_id: appVersionId };
  if (!(await store.versionLinks.exists(work, match)) && !(await store.terminalVersions.exists(work, match)))
    return;
  throw errorAt(
    'bytecode',
    'in_use',
    'must stay as it is: logical numbers or terminals have this version. Create a version with another number',
  );
}

function inUse(count: number, more: boolean): DomainError {
  const noun = count === 1 ? 'terminal' : 'terminals';
  const message = `${more ? 'At least ' : ''}{count} ${noun} would lose app versions. {advice}` as const;
  return new DomainError('in_use', rule(message, { count, advice: FORCE_IT }));
}
