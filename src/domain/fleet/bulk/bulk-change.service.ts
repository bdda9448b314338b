import type { Condition } from '../../../database/list/condition.js';
import type { List } from '../../../database/list/list.js';
import { valueById } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, notFound, tooManyRecords } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import type { Rejected } from '../../base/job/job.service.js';
import { endOfOld } from '../../people/access-token/access-token.model.js';
import type { Device } from '../device/device.model.js';
import { deviceRecords, devices } from '../device/device.service.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import { describeNumbers } from '../logical-number/description.service.js';
import {
  logicalNumbers,
  moveLogicalNumbers,
  refuseUnknownLogicalNumber,
  withVersions,
} from '../logical-number/logical-number.service.js';
import { followNumbers, lossesByMove } from '../logical-number/version-links.service.js';
import { setParameters } from '../setting/parameter.service.js';
import { refusalOfTags, tagsAfter } from '../tag/tag.service.js';
import { DeviceBulkChange, LogicalNumberBulkChange } from './bulk-change.model.js';

/** Records by their ids, or by a condition; null selects all of the company. */
export type BulkTarget = { readonly ids: readonly number[] } | { readonly condition: Condition | null };

/**
 * The records of a target, by ascending id; `records` is for example `logical numbers`. Errors: `invalid` for an unknown
 * id, `too_many_records`.
 */
export async function findTargets<T extends { readonly id: number }>(
  work: ReadWork,
  list: List<T>,
  records: string,
  target: BulkTarget,
): Promise<readonly T[]> {
  if ('ids' in target) {
    const found = await list.byIds(work, target.ids);
    if (found.size < target.ids.length)
      throw invalid('target.ids', 'must hold ids of {what} only', { what: records });
    return [...found.values()].sort((one, other) => one.id - other.id);
  }
  const found = await list.upTo(work, MAX_JOB_ROWS, target.condition);
  if (found.length <= MAX_JOB_ROWS) return found;
  const many = `more than ${MAX_JOB_ROWS} ${records}`;
  throw tooManyRecords('The target', many, MAX_JOB_ROWS, `select fewer ${records}`);
}

/** A row of the job of a bulk change: a record, with the name that it had. */
export interface BulkRow {
  readonly id: number;
  readonly name: string;
}

/**
 * Records of rows, those with a refusal apart, by their places; `refusalOf` gets undefined for a record that is gone, and
 * refuses it.
 */
function classified<T>(
  rows: readonly Json[],
  found: ReadonlyMap<number, T>,
  refusalOf: (record: T | undefined) => DomainError | undefined,
): { readonly accepted: readonly T[]; readonly rejected: Rejected } {
  const accepted: T[] = [];
  const rejected = new Map<number, DomainError>();
  for (const [place, id] of idsIn(rows).entries()) {
    const record = found.get(id);
    const refusal = refusalOf(record);
    if (refusal !== undefined) rejected.set(place, refusal);
    else if (record !== undefined) accepted.push(record);
  }
  return { accepted, rejected };
}

const idsIn = (rows: readonly Json[]): readonly number[] =>
  (rows as unknown as readonly BulkRow[]).map(({ id }) => id);

/** Refuses a change without a field. Errors: `invalid`. */
function requireChange(change: object): void {
  if (Object.values(change).some((value) => value !== undefined)) return;
  throw invalid('change', 'must not be empty: {advice}', { advice: 'it would change nothing' });
}

async function setOfEach(
  work: WriteWork,
  numberIds: Iterable<number>,
  input: object | undefined,
): Promise<void> {
  if (input === undefined) return;
  await setAllParameters(
    work,
    Array.from(numberIds, (id) => ({ owner: { logicalNumberId: id, groupId: null }, input })),
  );
}

export type Setting = Parameters<typeof setParameters>[1][number];

/** Sets parameters. Errors: the first refusal. */
export async function setAllParameters(work: WriteWork, settings: readonly Setting[]): Promise<void> {
  const results = await setParameters(work, settings, 'REJECT_EVERYTHING');
  const refused = results.find(({ problem }) => problem !== null);
  if (refused?.problem) throw refused.problem;
}

export const DEVICE_CHANGE = 'deviceBulkChange';

/** The change, which has at least one field. Errors: `invalid`, also for an unknown logical number or group. */
export async function checkDeviceChange(work: ReadWork, input: unknown): Promise<DeviceBulkChange> {
  const { force, ...change } = parse(DeviceBulkChange, input);
  requireChange(change);
  if (change.token !== undefined) {
    requireScope(work.caller, 'admin');
    endOfOld(work.now, change.token.keepOldFor, 'change.token.keepOldFor');
  }
  await refuseUnknownLogicalNumber(work, 'change.logicalNumberId', change.logicalNumberId ?? null);
  await refuseUnknownGroup(work, 'change.groupId', change.groupId ?? null);
  return { ...change, force };
}

/** Issues tokens for devices: a wing above has them. */
export type IssueTokens = (devices: readonly Device[], keepOldFor: number | null) => Promise<void>;

/** Makes a change of the devices of some rows, in a constant number of statements for each set of app versions. */
export async function changeSomeDevices(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
  issueTokens: IssueTokens,
): Promise<Rejected> {
  const change = await checkDeviceChange(work, input);
  const found = await devices.byIds(work, idsIn(rows));
  const { groupId, force } = change;
  const idsOf = (all: Iterable<Device>) =>
    new Set([...all].flatMap((device) => numberOf(device, change) ?? []));
  const heads = await logicalNumbers.byIds(work, groupId === undefined ? [] : [...idsOf(found.values())]);
  const moves = Array.from(heads.values(), (number) => ({ number, groupId: groupId ?? null }));
  const losses = await lossesByMove(work, moves, force);
  const { accepted, rejected } = classified(
    rows,
    found,
    (device) => refusalOf(device, change) ?? losses.get((device && numberOf(device, change)) ?? 0),
  );
  await changeDevices(work, accepted, change);
  if (change.token !== undefined) await issueTokens(accepted, change.token.keepOldFor);
  const numberIds = idsOf(accepted);
  await setOfEach(work, numberIds, change.parameter);
  if (groupId === undefined) return rejected;
  const numbers = [...numberIds].flatMap((id) => heads.get(id) ?? []);
  await moveLogicalNumbers(work, await withVersions(work, numbers), groupId);
  return rejected;
}

/** Changes the devices themselves, those that differ. */
async function changeDevices(work: WriteWork, all: readonly Device[], change: DeviceBulkChange) {
  const { enabled, logicalNumberId } = change;
  const differing = all.filter(
    (device) =>
      device.enabled !== (enabled ?? device.enabled) ||
      device.logicalNumberId !== numberOf(device, change) ||
      device.tags !== tagsAfter(device.tags, change),
  );
  const tags = differing.map(({ id, tags }) => [id, JSON.stringify(tagsAfter(tags, change))] as const);
  await deviceRecords.updateAll(work, differing, {
    ...(enabled !== undefined && { enabled }),
    ...(logicalNumberId !== undefined && { logical_number_id: logicalNumberId }),
    ...((change.addTags ?? change.removeTags) && { tags: valueById('devices', 'jsonb', new Map(tags)) }),
  });
  const moved = differing.filter((device) => device.logicalNumberId !== numberOf(device, change));
  await followNumbers(
    work,
    moved.map(({ id }) => ({ id, logicalNumberId: logicalNumberId ?? null })),
  );
}

function refusalOf(device: Device | undefined, change: DeviceBulkChange): DomainError | undefined {
  if (device === undefined) return notFound('device');
  const tooMany = refusalOfTags(device.tags, change);
  if (tooMany !== undefined || numberOf(device, change) !== null) return tooMany;
  const refuse = (advice: string): DomainError =>
    invalid('logicalNumberId', 'must not be null. {advice}', { advice });
  if (change.groupId !== undefined) return refuse('Only logical numbers belong to a group');
  if (change.parameter !== undefined) return refuse('Only logical numbers have parameters');
  return undefined;
}

const numberOf = (device: Device, { logicalNumberId }: DeviceBulkChange): number | null =>
  logicalNumberId === undefined ? device.logicalNumberId : logicalNumberId;

export const NUMBER_CHANGE = 'logicalNumberBulkChange';

/** The change, which has at least one field. Errors: `invalid`, also for an unknown group. */
export async function checkNumberChange(work: ReadWork, input: unknown): Promise<LogicalNumberBulkChange> {
  const { force, ...change } = parse(LogicalNumberBulkChange, input);
  requireChange(change);
  await refuseUnknownGroup(work, 'groupId', change.groupId ?? null);
  return { ...change, force };
}

/** Makes a change of the logical numbers of some rows, in a constant number of statements for each set of app versions. */
export async function changeSomeNumbers(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
): Promise<Rejected> {
  const change = await checkNumberChange(work, input);
  const { groupId, parameter, force } = change;
  const found = await logicalNumbers.byIds(work, idsIn(rows));
  const moves = groupId === undefined ? [] : Array.from(found.values(), (number) => ({ number, groupId }));
  const losses = await lossesByMove(work, moves, force);
  const { accepted, rejected } = classified(rows, found, (number) =>
    number === undefined
      ? notFound('logical number')
      : (losses.get(number.id) ?? refusalOfTags(number.tags, change)),
  );
  const numberIds = accepted.map(({ id }) => id);
  await setOfEach(work, numberIds, parameter);
  if (groupId === undefined && (change.addTags ?? change.removeTags) === undefined) return rejected;
  const described = await describeNumbers(work, await withVersions(work, accepted), ({ tags }) => ({
    tags: tagsAfter(tags, change),
  }));
  if (groupId !== undefined) await moveLogicalNumbers(work, described, groupId);
  return rejected;
}
