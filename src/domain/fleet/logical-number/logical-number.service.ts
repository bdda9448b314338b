import { isDeepStrictEqual } from 'node:util';

import { CompanyRows, only } from '../../../database/company/company-rows.js';
import { CompanyTable, type ValuesOf } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import type { Condition } from '../../../database/list/condition.js';
import { auditedList } from '../../../database/list/list.js';
import { firstIn } from '../../../database/list/listing.js';
import { anyLowerCaseText } from '../../../database/list/lower-case.js';
import { numbersOfJob } from '../../../database/list/of-job.js';
import { instant } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import { type DomainError, invalid, tooManyRecords } from '../../../platform/errors.js';
import type { Page, PageRequest } from '../../../platform/requests.js';
import { normalized, changed, type Ids, newValues, parse } from '../../../platform/validate.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import {
  type AffectedNumbers,
  type FormerNumber,
  type LogicalNumber,
  LogicalNumberCreate,
  type LogicalNumberHead,
  LogicalNumberUpdate,
  MAX_EXAMPLES,
  NEW_NUMBER,
} from './logical-number.model.js';
import * as store from './version-links.repository.js';

export const logicalNumberTable = new CompanyTable<'logical_numbers', LogicalNumberHead>('logical_numbers');

export const logicalNumbers = auditedList(logicalNumberTable, {
  name: 'LogicalNumber',
  orders: { NUMBER: 'number' },
  filters: {
    number: { column: 'number', kind: 'text', isUnique: true },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    merchantName: { column: 'merchant_name', kind: 'text', order: 'ID' },
    tags: anyLowerCaseText('logical_number_tags', 'logical_number_id', 'tag'),
    hasDevice: { column: 'id', kind: 'flag', where: store.hasDevice },
    version: { column: 'id', kind: 'linked', where: store.hasVersion },
    changedByJob: numbersOfJob,
  },
});

export const logicalNumbersOfGroup = logicalNumbers.of({ column: 'group_id' });
export const logicalNumbersOfAppVersion = logicalNumbers.of({
  link: 'logical_number_app_versions',
  parent: 'app_version_id',
});

export const logicalNumberHeads = new Records(logicalNumberTable, { field: 'number' });

export const { refuseUnknown: refuseUnknownLogicalNumber } = logicalNumberHeads;

export async function getLogicalNumber(work: ReadWork, id: number): Promise<LogicalNumber> {
  return await complete(work, await logicalNumberHeads.get(work, id));
}

export async function getLogicalNumberByNumber(work: ReadWork, number: string): Promise<LogicalNumber> {
  return await complete(work, await logicalNumberHeads.getByName(work, number));
}

/** Ascending by id. */
export async function listLogicalNumbers(work: ReadWork, request: PageRequest): Promise<Page<LogicalNumber>> {
  const page = await logicalNumberHeads.list(work, request);
  return { ...page, records: await withVersions(work, page.records) };
}

const formerNumbers = new CompanyRows('device_numbers');

/** The logical numbers that a device had before, the earliest first. */
export async function formerNumbersOf(work: ReadWork, deviceId: number): Promise<FormerNumber[]> {
  const rows = await formerNumbers.select(work, { device_id: deviceId }, { orderBy: ['ended_at'] });
  return rows.map(({ number, ended_at }) => ({ number, endedAt: instant.fromColumn(ended_at) }));
}

/** True if a terminal that has `present` may record under the number that it names: one that it has, or had at any time. */
export function isNumberOf(present: string, former: readonly FormerNumber[], named: string): boolean {
  return [present, ...former.map(({ number }) => number)].includes(normalized(named));
}

/** The error of a terminal that names a number which it never had. */
export const foreignNumber = (number: string): DomainError =>
  invalid(
    'logicalNumber',
    'foreign_logical_number: must be {number}, which the terminal has, one that it had before, or absent',
    { number },
  );

/**
 * Creates a number, with the default app versions of its group if none are given (contract 24). A trigger adds its tags
 * (`tag_new_logical_numbers`). Errors: `invalid`, `taken`.
 */
export async function createLogicalNumber(work: WriteWork, input: unknown): Promise<LogicalNumber> {
  const { appVersionIds: requested } = parse(LogicalNumberCreate, input);
  const values = newValues(LogicalNumberCreate, input, { ...NEW_NUMBER, appVersionIds: [] });
  await logicalNumberHeads.refuseTaken(work, values);
  await refuseUnknownGroup(work, 'groupId', values.groupId);
  const appVersionIds = await versionsIn(work, values.groupId, requested);
  const created = await logicalNumberTable.insert(work, values);
  await store.replaceLinks(work, [{ ...created, appVersionIds: [] }], new Map([[created.id, appVersionIds]]));
  const after = { ...created, appVersionIds };
  work.ledger.created('logical_number', after);
  return after;
}

/**
 * A move drops versions that the new group lacks; its defaults are added unless versions are given (contract 24).
 * Triggers note the former number of its devices (`note_renamed_numbers`) and its tags (`tag_logical_numbers`).
 */
export async function updateLogicalNumber(work: WriteWork, current: LogicalNumber, input: unknown) {
  const { appVersionIds, ...given } = parse(LogicalNumberUpdate, input);
  const values = changed<LogicalNumberHead, typeof given>(current, given);
  await logicalNumberHeads.refuseTaken(work, values, current);
  if (values.groupId !== current.groupId) await refuseUnknownGroup(work, 'groupId', values.groupId);
  const versions = await versionsIn(work, values.groupId, appVersionIds, current);
  await store.replaceLinks(work, [current], new Map([[current.id, versions]]));
  const touched = !isDeepStrictEqual(versions, current.appVersionIds);
  const head = await logicalNumberTable.update(work, current, values, touched);
  if (head === current) return current;
  const after = { ...head, appVersionIds: versions };
  work.ledger.updated('logical_number', current, after);
  return after;
}

/** Fields of a new logical number; absent ones are empty. */
export type NewNumber = Pick<LogicalNumberHead, 'number' | 'groupId'> & Partial<ValuesOf<LogicalNumberHead>>;

/** Creates numbers with the default app versions of their groups, which exist. Errors: none of these numbers may exist. */
export async function createLogicalNumbers(
  work: WriteWork,
  values: readonly NewNumber[],
): Promise<readonly LogicalNumber[]> {
  if (values.length === 0) return [];
  const created = await logicalNumberTable.insertMany(
    work,
    values.map((each) => ({ ...NEW_NUMBER, ...each })),
  );
  const after = new Map<number, Ids>();
  for (const [groupId, own] of Map.groupBy(created, (head) => head.groupId)) {
    const versions = await versionsIn(work, groupId, undefined);
    for (const { id } of own) after.set(id, versions);
  }
  const bare = created.map((head) => ({ ...head, appVersionIds: [] }));
  await store.replaceLinks(work, bare, after);
  const all = bare.map((number) => ({ ...number, appVersionIds: after.get(number.id) ?? [] }));
  for (const number of all) work.ledger.created('logical_number', number);
  return all;
}

/** Moves logical numbers to a group, or out of all; versions follow as by `updateLogicalNumber`. Errors: `invalid`. */
export async function moveLogicalNumbers(
  work: WriteWork,
  all: readonly LogicalNumber[],
  groupId: number | null,
) {
  await refuseUnknownGroup(work, 'groupId', groupId);
  const moved = all.filter((number) => number.groupId !== groupId);
  const after = new Map<number, Ids>();
  // Numbers of a fleet have few different sets of versions.
  for (const own of Map.groupBy(moved, ({ appVersionIds }) => appVersionIds.join()).values()) {
    const versions = await versionsIn(work, groupId, undefined, own[0]);
    for (const { id } of own) after.set(id, versions);
  }
  await store.replaceLinks(work, moved, after);
  await logicalNumberHeads.updateAll(work, moved, { group_id: groupId }, ({ id }) => ({
    appVersionIds: after.get(id) ?? [],
  }));
}

/** Removals of what belongs to a deleted number, in this order, added by `app/wings.ts`. Errors: `too_many_records`. */
export const logicalNumberRemovals: ((work: WriteWork, logicalNumber: LogicalNumber) => Promise<void>)[] = [];

/** Deletes what belongs to it too, but leaves its devices without a number (contract 18). Errors: `too_many_records`. */
export async function deleteLogicalNumber(work: WriteWork, logicalNumber: LogicalNumber): Promise<void> {
  for (const remove of logicalNumberRemovals) await remove(work, logicalNumber);
  await logicalNumberTable.deleteById(work, logicalNumber.id);
  work.ledger.deleted('logical_number', logicalNumber);
}

async function complete(work: ReadWork, head: LogicalNumberHead): Promise<LogicalNumber> {
  return only(await withVersions(work, [head]));
}

/** Versions of a number, ascending (contract 24): the requested ones, or its former ones and defaults of a new group. Errors: `invalid`. */
async function versionsIn(
  work: ReadWork,
  groupId: number | null,
  requested: Ids | undefined,
  current?: LogicalNumber,
): Promise<Ids> {
  const wanted = requested ?? current?.appVersionIds ?? [];
  const isAnyLinked = groupId !== null && wanted.length > 0;
  const linked = new Set(isAnyLinked ? await store.selectVersionsLinkedToGroup(work, groupId, wanted) : []);
  const kept = wanted.filter((id) => linked.has(id));
  const refused = wanted.filter((id) => !linked.has(id));
  if (requested !== undefined && refused.length > 0) {
    throw invalid('appVersionIds', "must be app versions linked to the number's group: not {values}", {
      values: refused.join(', '),
    });
  }
  const isEntered = requested === undefined && groupId !== null && groupId !== current?.groupId;
  const added = isEntered ? await store.selectDefaultsFor(work, groupId, kept) : [];
  return [...kept, ...added].sort((one, other) => one - other);
}

/** Adds the ids of their app versions to logical numbers; one statement. */
export async function withVersions(work: ReadWork, heads: readonly LogicalNumberHead[]) {
  if (heads.length === 0) return [];
  const ids = heads.map(({ id }) => id);
  const orderBy = ['logical_number_id', 'app_version_id'] as const;
  const rows = await store.versionLinks.select(work, { logical_number_id: ids }, { orderBy });
  const links = Map.groupBy(rows, (link) => link.logical_number_id);
  return heads.map((head) => ({
    ...head,
    appVersionIds: links.get(head.id)?.map((link) => link.app_version_id) ?? [],
  }));
}

/** Selects the logical numbers of a bulk change: by group, by a list of numbers, or by a filter. */
export type NumberTarget =
  | { readonly groupId: number }
  | { readonly logicalNumbers: readonly string[] }
  /** Null selects all logical numbers of the company. */
  | { readonly filter: Condition | null };

const NUMBERS_PER_QUERY = 2_000;
const MAX_UNKNOWN_IN_MESSAGE = 20;

/** One statement per thousand. Errors: `invalid` for an unknown group or number, `too_many_records` for more than `limit`. */
export async function findTarget(work: ReadWork, target: NumberTarget, limit: number) {
  if ('logicalNumbers' in target) {
    const numbers = [...new Set(target.logicalNumbers.map((number) => normalized(number.trim())))];
    if (numbers.length > limit) throw tooMany(`${numbers.length} logical numbers`, limit);
    return await findAllByNumbers(work, numbers);
  }
  if ('filter' in target) return await findMatching(work, target.filter, limit);
  const { groupId } = target;
  await refuseUnknownGroup(work, 'groupId', groupId);
  return await findMatching(work, ofGroup(groupId), limit);
}

/** Logical numbers for which a condition holds. Two statements. */
export async function affectedBy(work: ReadWork, condition: Condition): Promise<AffectedNumbers> {
  const { records: examples } = await logicalNumbers.slice(work, firstIn('ID', MAX_EXAMPLES, { condition }));
  const count = await logicalNumbers.count(work, condition);
  return { count, examples };
}

/** Logical numbers for which a condition holds, and that no device works under. Two statements. */
export async function affectedWithoutDevice(work: ReadWork, condition: Condition) {
  const without: Condition = { field: 'hasDevice', operator: 'eq', value: false };
  const { count, examples } = await affectedBy(work, { and: [condition, without] });
  return { withoutTerminal: count, withoutTerminalExamples: examples.map(({ number }) => number) };
}

export const ofGroup = (groupId: number): Condition => ({
  and: [{ field: 'groupId', operator: 'eq', value: groupId }],
});

/** Logical numbers by their numbers. One statement per 2,000. Errors: `invalid` if one of them is unknown. */
export async function findAllByNumbers(work: ReadWork, numbers: readonly string[], field = 'logicalNumbers') {
  const found: LogicalNumberHead[] = [];
  for await (const part of inParts(numbers, NUMBERS_PER_QUERY)) {
    found.push(...(await logicalNumberTable.select(work, { number: part.map(normalized) })));
  }
  const known = new Set(found.map(({ number }) => number));
  const unknown = numbers.filter((number) => !known.has(number));
  if (unknown.length === 0) return found;
  const named = unknown.slice(0, MAX_UNKNOWN_IN_MESSAGE).join(', ');
  const more = unknown.length - MAX_UNKNOWN_IN_MESSAGE;
  const values = `${named}${more > 0 ? ` and ${more} more` : ''}`;
  throw invalid(field, 'are not all known: {values}', { values });
}

async function findMatching(work: ReadWork, condition: Condition | null, limit: number) {
  const found = await logicalNumbers.upTo(work, limit, condition);
  if (found.length > limit) throw tooMany(`more than ${limit} logical numbers`, limit);
  return found;
}

function tooMany(records: string, limit: number): Error {
  return tooManyRecords('The target', records, limit, 'select fewer logical numbers, or fewer app versions');
}
