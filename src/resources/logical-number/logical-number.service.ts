import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { normalized } from '../../platform/text.js';
import { parse } from '../../platform/validate.js';
import { hasGroup } from '../group/group.service.js';
import {
  LogicalNumberCreate,
  LogicalNumberUpdate,
  type LogicalNumber,
  type LogicalNumberRef,
} from './logical-number.model.js';
import {
  deleteVersionLinks,
  findLogicalNumber,
  findLogicalNumberByNumber,
  insertLogicalNumber,
  insertVersionLinks,
  selectLogicalNumbers,
  selectRefsByNumbers,
  selectVersionsLinkedToGroup,
  updateLogicalNumberRow,
} from './logical-number.repository.js';
import { versionsFor } from './logical-number.rules.js';

export {
  logicalNumbers,
  logicalNumbersOfAppVersion,
  logicalNumbersOfGroup,
} from './logical-number.repository.js';

export async function getLogicalNumber(work: ReadWork, id: number): Promise<LogicalNumber> {
  const logicalNumber = await findLogicalNumber(work, id);
  if (logicalNumber === undefined) throw notFound('logical number');
  return logicalNumber;
}

export async function getLogicalNumberByNumber(work: ReadWork, number: string): Promise<LogicalNumber> {
  const logicalNumber = await findLogicalNumberByNumber(work, normalized(number));
  if (logicalNumber === undefined) throw notFound('logical number');
  return logicalNumber;
}

export async function hasLogicalNumber(work: ReadWork, id: number): Promise<boolean> {
  return (await findLogicalNumber(work, id)) !== undefined;
}

/** Those of the numbers that exist, ascending by id; one statement however many there are. */
export async function findLogicalNumbersByNumbers(
  work: ReadWork,
  numbers: readonly string[],
): Promise<LogicalNumberRef[]> {
  return await selectRefsByNumbers(work, numbers.map(normalized));
}

/** Ascending by id. */
export async function listLogicalNumbers(work: ReadWork, request: PageRequest): Promise<Page<LogicalNumber>> {
  const total = await countOf(work, 'logical_numbers');
  return { records: await selectLogicalNumbers(work, request), total, request };
}

/** Errors: `invalid` (group or app versions that are not the number's to have among them), `taken`. */
export async function createLogicalNumber(work: WriteWork, input: unknown): Promise<LogicalNumber> {
  const { number, groupId = null, appVersionIds = [] } = parse(LogicalNumberCreate, input);
  await refuseTakenNumber(work, number);
  await refuseUnknownGroup(work, groupId);
  const versions = versionsFor(appVersionIds, [], await linkedVersions(work, groupId, appVersionIds));
  const created = await insertLogicalNumber(work, { number, groupId });
  if (versions.length > 0) await insertVersionLinks(work, created.id, versions);
  const after = { ...created, appVersionIds: versions };
  work.ledger.append({ action: 'create', entityType: 'logical_number', entityId: created.id, after });
  return after;
}

/**
 * Moving it to another group, or taking it out of one, drops the app versions that are not linked there
 * (contract 24). Errors: `invalid`, `taken`.
 */
export async function updateLogicalNumber(
  work: WriteWork,
  current: LogicalNumber,
  input: unknown,
): Promise<LogicalNumber> {
  const {
    number = current.number,
    groupId = current.groupId,
    appVersionIds,
  } = parse(LogicalNumberUpdate, input);
  if (number !== current.number) await refuseTakenNumber(work, number);
  if (groupId !== current.groupId) await refuseUnknownGroup(work, groupId);
  const linked = await linkedVersions(work, groupId, appVersionIds ?? current.appVersionIds);
  const versions = versionsFor(appVersionIds, current.appVersionIds, linked);
  await replaceVersions(work, current, versions);
  const after = {
    ...(await updateLogicalNumberRow(work, current, { number, groupId })),
    appVersionIds: versions,
  };
  work.ledger.append({
    action: 'update',
    entityType: 'logical_number',
    entityId: current.id,
    before: current,
    after,
  });
  return after;
}

async function replaceVersions(
  work: WriteWork,
  current: LogicalNumber,
  versions: readonly number[],
): Promise<void> {
  const removed = current.appVersionIds.filter((id) => !versions.includes(id));
  const added = versions.filter((id) => !current.appVersionIds.includes(id));
  if (removed.length > 0) await deleteVersionLinks(work, [current.id], removed);
  if (added.length > 0) await insertVersionLinks(work, current.id, added);
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

async function refuseTakenNumber(work: ReadWork, number: string): Promise<void> {
  if ((await findLogicalNumberByNumber(work, number)) !== undefined) {
    throw taken('number', 'A logical number with this number exists already.');
  }
}
