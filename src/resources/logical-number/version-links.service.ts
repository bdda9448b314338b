import type { WriteWork } from '../../database/work.js';
import { lastRemovalId, MAX_ROWS_AT_ONCE, removeInSteps, ROWS_PER_STEP } from '../removal/removal.service.js';
import type { Removal } from '../removal/removal.model.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberHeads } from './logical-number.records.service.js';
import { logicalNumberTable, withVersions } from './logical-number.repository.js';
import {
  deleteLinks,
  haveManyLinks,
  insertLinks,
  selectHoldersAfter,
  selectLinksOfNumbers,
  selectLinksOfVersions,
  selectRemovedLinks,
  type VersionLink,
} from './version-links.repository.js';

/**
 * Removes app versions from the logical numbers of the given groups, or of all groups (undefined), when
 * versions are detached from groups or deleted (contract 21). The revision of each changed number grows by
 * one. Returns true if a background job removes them because they are many: no query returns these links, but
 * their rows still exist.
 */
export async function dropVersionLinks(
  work: WriteWork,
  appVersionIds: readonly number[],
  groupIds?: readonly number[],
): Promise<boolean> {
  if (appVersionIds.length === 0 || groupIds?.length === 0) return false;
  if (await haveManyLinks(work, appVersionIds, { rows: MAX_ROWS_AT_ONCE })) {
    const removed = appVersionIds.flatMap((appVersionId) =>
      groupIds === undefined ? [{ appVersionId }] : groupIds.map((groupId) => ({ appVersionId, groupId })),
    );
    await removeInSteps(work, removed);
    return true;
  }
  await dropLinks(work, await selectLinksOfVersions(work, appVersionIds, groupIds));
  return false;
}

/** Deletes one part of removed links. Returns the start of the next part; null after the last one. */
export async function dropRemovedLinks(
  work: WriteWork,
  { appVersionId, change, position }: Removal & { readonly appVersionId: number },
): Promise<number | null> {
  const holders = await selectHoldersAfter(work, appVersionId, position, ROWS_PER_STEP);
  await dropLinks(work, await selectRemovedLinks(work, holders, change));
  return holders.length < ROWS_PER_STEP ? null : (holders.at(-1) ?? null);
}

/**
 * Deletes the links of the logical numbers that are removed but still stored, and returns the numbers with
 * their new revision. Call it before a change that may add the same versions again. No statement if there are
 * none.
 */
export async function withoutRemovedLinks(
  work: WriteWork,
  numbers: readonly LogicalNumber[],
): Promise<readonly LogicalNumber[]> {
  const unrecorded = numbers.filter((number) => number.unrecorded !== undefined);
  if (unrecorded.length === 0) return numbers;
  const ids = unrecorded.map(({ id }) => id);
  const links = await selectLinksOfNumbers(work, ids);
  const changes = new Set(links.flatMap((link) => link.removedBy ?? []));
  const current = new Map(numbers.map((number) => [number.id, number]));
  for (const change of [...changes].sort((a, b) => a - b)) {
    const removed = links.filter((link) => link.removedBy === change);
    for (const number of await dropLinks(work, removed)) current.set(number.id, number);
  }
  return [...current.values()];
}

/** The logical number as the ledger records it. */
export function recorded(number: LogicalNumber): LogicalNumber {
  const { unrecorded, ...rest } = number;
  return unrecorded === undefined ? number : rest;
}

/** Adds links. Removals recorded before do not apply to them. */
export async function addLinks(work: WriteWork, links: readonly VersionLink[]): Promise<void> {
  if (links.length === 0) return;
  await insertLinks(work, links, await lastRemovalId(work));
}

/** Adds app versions to one logical number, see `addLinks`. */
export async function linkVersions(
  work: WriteWork,
  logicalNumberId: number,
  appVersionIds: readonly number[],
): Promise<void> {
  await addLinks(
    work,
    appVersionIds.map((appVersionId) => ({ logicalNumberId, appVersionId })),
  );
}

/** Deletes links, and records the change of each logical number. Returns the changed numbers. */
async function dropLinks(work: WriteWork, links: readonly VersionLink[]): Promise<readonly LogicalNumber[]> {
  if (links.length === 0) return [];
  const dropped = Map.groupBy(links, (link) => link.logicalNumberId);
  const droppedOf = (id: number): readonly number[] =>
    dropped.get(id)?.map(({ appVersionId }) => appVersionId) ?? [];
  const heads = await logicalNumberTable.select(work, { id: [...dropped.keys()] });
  const present = await withVersions(work, heads);
  await deleteLinks(work, links);
  const before = present.map((number) => ({
    ...recorded(number),
    appVersionIds: union(number.appVersionIds, droppedOf(number.id)),
  }));
  return await logicalNumberHeads.updateAll(work, before, {}, ({ id, appVersionIds }) => {
    const gone = new Set(droppedOf(id));
    return { appVersionIds: appVersionIds.filter((version) => !gone.has(version)) };
  });
}

function union(some: readonly number[], others: readonly number[]): readonly number[] {
  return [...new Set([...some, ...others])].sort((a, b) => a - b);
}
