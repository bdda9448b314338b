import { only } from '../../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { changed, newValues } from '../../platform/changes/changes.js';
import { invalid } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { normalized } from '../../platform/encoding/text.js';
import { parse } from '../../platform/validate.js';
import { hasGroup } from '../group/group.service.js';
import { Records } from '../shared/records.service.js';
import {
  LogicalNumberCreate,
  LogicalNumberUpdate,
  type LogicalNumber,
  type LogicalNumberHead,
  type LogicalNumberRef,
} from './logical-number.model.js';
import {
  deleteVersionLinks,
  insertVersionLinks,
  logicalNumberTable,
  selectHoldersOfVersions,
  selectVersionsLinkedToGroup,
  withVersions,
} from './logical-number.repository.js';
import { versionsFor } from './logical-number.rules.js';

export {
  logicalNumbers,
  logicalNumbersOfAppVersion,
  logicalNumbersOfGroup,
} from './logical-number.repository.js';

const heads = new Records({
  entityType: 'logical_number',
  table: logicalNumberTable,
  counter: 'logical_numbers',
  unique: {
    field: 'number',
    match: ({ number }) => ({ number }),
    message: 'A logical number with this number exists already.',
  },
});

export const { has: hasLogicalNumber } = heads;

export async function getLogicalNumber(work: ReadWork, id: number): Promise<LogicalNumber> {
  return await complete(work, await heads.get(work, id));
}

export async function getLogicalNumberByNumber(work: ReadWork, number: string): Promise<LogicalNumber> {
  return await complete(work, await heads.getBy(work, { number: normalized(number) }));
}

/** Those of the numbers that exist, ascending by id; one statement. */
export async function findLogicalNumbersByNumbers(
  work: ReadWork,
  numbers: readonly string[],
): Promise<readonly LogicalNumberRef[]> {
  return await logicalNumberTable.select(work, { number: numbers.map(normalized) });
}

/** Ascending by id. */
export async function listLogicalNumbers(work: ReadWork, request: PageRequest): Promise<Page<LogicalNumber>> {
  const page = await heads.list(work, request);
  return { ...page, records: await withVersions(work, page.records) };
}

/** Errors: `invalid` (also for an unknown group, or app versions that are not linked to it), `taken`. */
export async function createLogicalNumber(work: WriteWork, input: unknown): Promise<LogicalNumber> {
  const values = newValues(LogicalNumberCreate, input, { appVersionIds: [] });
  await heads.refuseTaken(work, values);
  await refuseUnknownGroup(work, values.groupId);
  const linked = await linkedVersions(work, values.groupId, values.appVersionIds);
  const appVersionIds = versionsFor(values.appVersionIds, [], linked);
  const created = await logicalNumberTable.insert(work, values);
  await insertVersionLinks(work, created.id, appVersionIds);
  const after = { ...created, appVersionIds };
  work.ledger.created('logical_number', after);
  return after;
}

/**
 * A change of the group removes the app versions that are not linked to the new group (contract 24). Errors:
 * `invalid`, `taken`.
 */
export async function updateLogicalNumber(
  work: WriteWork,
  current: LogicalNumber,
  input: unknown,
): Promise<LogicalNumber> {
  const { appVersionIds, ...given } = parse(LogicalNumberUpdate, input);
  const values = changed<LogicalNumberHead, typeof given>(current, given);
  await heads.refuseTaken(work, values, current);
  if (values.groupId !== current.groupId) await refuseUnknownGroup(work, values.groupId);
  const linked = await linkedVersions(work, values.groupId, appVersionIds ?? current.appVersionIds);
  const versions = versionsFor(appVersionIds, current.appVersionIds, linked);
  await replaceVersions(work, current, versions);
  const head = await logicalNumberTable.update(work, current, values);
  const after = { ...head, appVersionIds: versions };
  work.ledger.updated('logical_number', current, after);
  return after;
}

/**
 * Removes app versions from the logical numbers of the given groups, or of all groups (undefined), when versions are
 * detached from groups or deleted (contract 21). The revision of each changed number grows by one.
 */
export async function dropVersionLinks(
  work: WriteWork,
  appVersionIds: readonly number[],
  groupIds?: readonly number[],
): Promise<void> {
  if (appVersionIds.length === 0 || groupIds?.length === 0) return;
  const holders = await selectHoldersOfVersions(work, appVersionIds, groupIds);
  if (holders.length === 0) return;
  const ids = holders.map((holder) => holder.id);
  await deleteVersionLinks(work, ids, appVersionIds);
  const dropped = new Set(appVersionIds);
  await heads.updateAll(work, holders, {}, (before) => ({
    appVersionIds: before.appVersionIds.filter((id) => !dropped.has(id)),
  }));
}

async function complete(work: ReadWork, head: LogicalNumberHead): Promise<LogicalNumber> {
  return only(await withVersions(work, [head]));
}

async function replaceVersions(
  work: WriteWork,
  current: LogicalNumber,
  versions: readonly number[],
): Promise<void> {
  const removed = current.appVersionIds.filter((id) => !versions.includes(id));
  const added = versions.filter((id) => !current.appVersionIds.includes(id));
  if (removed.length > 0) await deleteVersionLinks(work, [current.id], removed);
  await insertVersionLinks(work, current.id, added);
}

async function linkedVersions(
  work: ReadWork,
  groupId: number | null,
  appVersionIds: readonly number[],
): Promise<readonly number[]> {
  if (groupId === null || appVersionIds.length === 0) return [];
  return await selectVersionsLinkedToGroup(work, groupId, appVersionIds);
}

async function refuseUnknownGroup(work: ReadWork, groupId: number | null): Promise<void> {
  if (groupId !== null && !(await hasGroup(work, groupId))) {
    throw invalid('groupId', 'is not the id of a group');
  }
}
