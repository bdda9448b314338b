import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, notFound } from '../../../platform/errors.js';
import { demandScope } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import type { Rejected } from '../../base/job/job.service.js';
import { endOfOld } from '../../people/access-token/access-token.model.js';
import type { Device } from '../device/device.model.js';
import { deviceRecords, devices } from '../device/device.service.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import {
  logicalNumbers,
  moveLogicalNumbers,
  refuseUnknownLogicalNumber,
  withVersions,
} from '../logical-number/logical-number.service.js';
import { lossesByMove } from '../logical-number/version-links.service.js';
import { DeviceBulkChange } from './bulk-change.model.js';
import { demandChange, idsIn, setOfEach, sortedOut } from './bulk-change.service.js';

export const DEVICE_CHANGE = 'deviceBulkChange';

/** The change, which has at least one field. Errors: `invalid`, also for an unknown logical number or group. */
export async function checkDeviceChange(work: ReadWork, input: unknown): Promise<DeviceBulkChange> {
  const { force, ...change } = parse(DeviceBulkChange, input);
  demandChange(change);
  if (change.token !== undefined) {
    demandScope(work.caller, 'admin');
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
  const { enabled, logicalNumberId, groupId, force } = change;
  const idsOf = (all: Iterable<Device>) =>
    new Set([...all].flatMap((device) => numberOf(device, change) ?? []));
  const heads = await logicalNumbers.byIds(work, groupId === undefined ? [] : [...idsOf(found.values())]);
  const moves = Array.from(heads.values(), (number) => ({ number, groupId: groupId ?? null }));
  const losses = await lossesByMove(work, moves, force);
  const { accepted, rejected } = sortedOut(
    rows,
    found,
    (device) => refusalOf(device, change) ?? losses.get((device && numberOf(device, change)) ?? 0),
  );
  const differing = accepted.filter(
    (device) =>
      device.enabled !== (enabled ?? device.enabled) || device.logicalNumberId !== numberOf(device, change),
  );
  await deviceRecords.updateAll(work, differing, {
    ...(enabled !== undefined && { enabled }),
    ...(logicalNumberId !== undefined && { logical_number_id: logicalNumberId }),
  });
  if (change.token !== undefined) await issueTokens(accepted, change.token.keepOldFor);
  const numberIds = idsOf(accepted);
  await setOfEach(work, numberIds, change.parameter);
  if (groupId === undefined) return rejected;
  const moved = [...numberIds].flatMap((id) => heads.get(id) ?? []);
  await moveLogicalNumbers(work, await withVersions(work, moved), groupId);
  return rejected;
}

function refusalOf(device: Device | undefined, change: DeviceBulkChange): DomainError | undefined {
  if (device === undefined) return notFound('device');
  if (numberOf(device, change) !== null) return undefined;
  if (change.groupId !== undefined)
    return invalid('logicalNumberId', 'must not be null. Only logical numbers belong to a group');
  if (change.parameter !== undefined)
    return invalid('logicalNumberId', 'must not be null. Only logical numbers have parameters');
  return undefined;
}

/** The logical number that a device has after the change. */
const numberOf = (device: Device, { logicalNumberId }: DeviceBulkChange): number | null =>
  logicalNumberId === undefined ? device.logicalNumberId : logicalNumberId;
