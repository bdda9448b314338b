import { MANY_ROWS } from '../../../database/company/company-rows.js';
import { countOf } from '../../../database/counters.js';
import type { Condition } from '../../../database/list/condition.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, notFound, tooManyRecords } from '../../../platform/errors.js';
import { demandScope } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import type { Rejected } from '../../base/job/job.service.js';
import { endOfOld } from '../../people/access-token/access-token.model.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import {
  logicalNumbers,
  moveLogicalNumbers,
  refuseUnknownLogicalNumber,
  withVersions,
} from '../logical-number/logical-number.service.js';
import { setParameters } from '../setting/parameter.service.js';
import { type Device, DeviceBulkChange } from './device.model.js';
import { devices } from './device.repository.js';
import { deviceRecords } from './device.service.js';

/** Kind of the jobs that change devices. */
export const DEVICE_CHANGE = 'deviceBulkChange';

/** Devices by their ids, or by a condition; null selects all devices of the company. */
export type DeviceTarget = { readonly ids: readonly number[] } | { readonly condition: Condition | null };

/** The devices of a target, by ascending id. Errors: `invalid` for an unknown id, `too_many_records`. */
export async function findTargetDevices(work: ReadWork, target: DeviceTarget): Promise<readonly Device[]> {
  if ('ids' in target) {
    const found = await devices.byIds(work, target.ids);
    if (found.size < target.ids.length) throw invalid('target.ids', 'must hold ids of devices only');
    return [...found.values()].sort((one, other) => one.id - other.id);
  }
  if ((await countOf(work, 'devices')) > MANY_ROWS) work.moveToThread?.();
  const found = await devices.upTo(work, MAX_JOB_ROWS, target.condition);
  if (found.length <= MAX_JOB_ROWS) return found;
  throw tooManyRecords(
    'The target',
    `more than ${MAX_JOB_ROWS} devices`,
    MAX_JOB_ROWS,
    'select fewer devices',
  );
}

/** The change, which has at least one field. Errors: `invalid`, also for an unknown logical number or group. */
export async function checkDeviceChange(work: ReadWork, input: unknown): Promise<DeviceBulkChange> {
  const change = parse(DeviceBulkChange, input);
  if (Object.values(change).every((value) => value === undefined)) {
    throw invalid('change', 'must not be empty: it would change nothing');
  }
  if (change.token !== undefined) {
    demandScope(work.caller, 'admin');
    endOfOld(work.now, change.token.keepOldFor, 'change.token.keepOldFor');
  }
  await refuseUnknownLogicalNumber(work, 'change.logicalNumberId', change.logicalNumberId ?? null);
  await refuseUnknownGroup(work, 'change.groupId', change.groupId ?? null);
  return change;
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
  const ids = (rows as readonly Pick<Device, 'id'>[]).map(({ id }) => id);
  const found = await devices.byIds(work, ids);
  const accepted: Device[] = [];
  const rejected = new Map<number, DomainError>();
  for (const [place, id] of ids.entries()) {
    const device = found.get(id);
    const refusal = refusalOf(device, change);
    if (refusal !== null) rejected.set(place, refusal);
    else if (device !== undefined) accepted.push(device);
  }
  const { enabled, logicalNumberId, groupId } = change;
  const differing = accepted.filter(
    (device) =>
      device.enabled !== (enabled ?? device.enabled) || device.logicalNumberId !== numberOf(device, change),
  );
  await deviceRecords.updateAll(work, differing, {
    ...(enabled !== undefined && { enabled }),
    ...(logicalNumberId !== undefined && { logical_number_id: logicalNumberId }),
  });
  if (change.token !== undefined) await issueTokens(accepted, change.token.keepOldFor);
  const numberIds = new Set(accepted.flatMap((device) => numberOf(device, change) ?? []));
  if (change.parameter !== undefined) await setOfEach(work, numberIds, change.parameter);
  if (groupId === undefined) return rejected;
  const heads = await logicalNumbers.byIds(work, [...numberIds]);
  await moveLogicalNumbers(work, await withVersions(work, [...heads.values()]), groupId);
  return rejected;
}

/** Sets a parameter of each of these logical numbers. */
async function setOfEach(work: WriteWork, numberIds: ReadonlySet<number>, input: object): Promise<void> {
  const settings = Array.from(numberIds, (id) => ({ owner: { logicalNumberId: id, groupId: null }, input }));
  const results = await setParameters(work, settings, 'REJECT_EVERYTHING');
  const refused = results.find(({ problem }) => problem !== null);
  if (refused?.problem) throw refused.problem;
}

function refusalOf(device: Device | undefined, change: DeviceBulkChange): DomainError | null {
  if (device === undefined) return notFound('device');
  if (numberOf(device, change) !== null) return null;
  if (change.groupId !== undefined)
    return invalid('logicalNumberId', 'must not be null. Only logical numbers belong to a group');
  if (change.parameter !== undefined)
    return invalid('logicalNumberId', 'must not be null. Only logical numbers have parameters');
  return null;
}

/** The logical number that a device has after the change. */
const numberOf = (device: Device, { logicalNumberId }: DeviceBulkChange): number | null =>
  logicalNumberId === undefined ? device.logicalNumberId : logicalNumberId;
