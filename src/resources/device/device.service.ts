import { isDeepStrictEqual } from 'node:util';

import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { normalized } from '../../platform/text.js';
import { parse } from '../../platform/validate.js';
import { hasLogicalNumber } from '../logical-number/logical-number.service.js';
import { DeviceCreate, DeviceReport, DeviceUpdate, type Device } from './device.model.js';
import {
  clearLogicalNumber,
  deleteDeviceRow,
  findDevice,
  findDeviceBySerialNumber,
  insertDevices,
  selectDevices,
  selectDevicesBySerialNumbers,
  selectDevicesOfLogicalNumber,
  updateDeviceRow,
  type DeviceValues,
} from './device.repository.js';

export { devices, devicesOfLogicalNumber } from './device.repository.js';

export async function getDevice(work: ReadWork, id: number): Promise<Device> {
  const device = await findDevice(work, id);
  if (device === undefined) throw notFound('device');
  return device;
}

export async function getDeviceBySerialNumber(work: ReadWork, serialNumber: string): Promise<Device> {
  const device = await findDeviceBySerialNumber(work, normalized(serialNumber));
  if (device === undefined) throw notFound('device');
  return device;
}

/** In one statement; what the company does not have is absent. */
export async function findDevicesBySerialNumbers(
  work: ReadWork,
  serialNumbers: readonly string[],
): Promise<ReadonlyMap<string, Device>> {
  const found = await selectDevicesBySerialNumbers(work, serialNumbers);
  return new Map(found.map((device) => [device.serialNumber, device]));
}

/** Ascending by id. */
export async function listDevices(work: ReadWork, request: PageRequest): Promise<Page<Device>> {
  const total = await countOf(work, 'devices');
  return { records: await selectDevices(work, request), total, request };
}

/** Errors: `invalid` (an unknown logical number among them), `taken`. */
export async function createDevice(work: WriteWork, input: unknown): Promise<Device> {
  const { serialNumber, enabled = true, logicalNumberId = null } = parse(DeviceCreate, input);
  if ((await findDeviceBySerialNumber(work, serialNumber)) !== undefined) {
    throw taken('serialNumber', 'A device with this serial number exists already.');
  }
  await refuseUnknownLogicalNumber(work, logicalNumberId);
  const values = { enabled, logicalNumberId, meta: {}, frameworkVersion: null };
  const [device] = await insertDevices(work, [serialNumber], values);
  if (device === undefined) throw new Error('A device was inserted and not returned');
  work.ledger.append({ action: 'create', entityType: 'device', entityId: device.id, after: device });
  return device;
}

/** Errors: `invalid`. */
export async function updateDevice(work: WriteWork, current: Device, input: unknown): Promise<Device> {
  const { enabled = current.enabled, logicalNumberId = current.logicalNumberId } = parse(DeviceUpdate, input);
  if (logicalNumberId !== current.logicalNumberId) await refuseUnknownLogicalNumber(work, logicalNumberId);
  return await change(work, 'update', current, { ...current, enabled, logicalNumberId });
}

/**
 * What the terminal says of itself takes the place of what it said before; a report that says nothing new
 * changes nothing. Errors: `invalid`.
 */
export async function reportDevice(work: WriteWork, current: Device, input: unknown): Promise<Device> {
  const { meta = current.meta, frameworkVersion = current.frameworkVersion } = parse(DeviceReport, input);
  if (frameworkVersion === current.frameworkVersion && isDeepStrictEqual(meta, current.meta)) return current;
  return await change(work, 'report', current, { ...current, meta, frameworkVersion });
}

/** Ends its access; its transactions stay (contract 28). */
export async function deleteDevice(work: WriteWork, device: Device): Promise<void> {
  await deleteDeviceRow(work, device.id);
  work.ledger.append({
    action: 'delete',
    entityType: 'device',
    entityId: device.id,
    before: device,
    after: null,
  });
}

/** Leaves the devices of a logical number without one. */
export async function detachDevicesFrom(work: WriteWork, logicalNumberId: number): Promise<void> {
  const before = await selectDevicesOfLogicalNumber(work, logicalNumberId);
  if (before.length === 0) return;
  const after = new Map(
    (await clearLogicalNumber(work, logicalNumberId)).map((device) => [device.id, device]),
  );
  for (const device of before) recordChange(work, 'update', device, after.get(device.id) ?? null);
}

async function change(
  work: WriteWork,
  action: 'update' | 'report',
  current: Device,
  values: DeviceValues,
): Promise<Device> {
  const device = await updateDeviceRow(work, current, values);
  recordChange(work, action, current, device);
  return device;
}

function recordChange(work: WriteWork, action: string, before: Device, after: Device | null): void {
  work.ledger.append({ action, entityType: 'device', entityId: before.id, before, after });
}

async function refuseUnknownLogicalNumber(work: ReadWork, id: number | null): Promise<void> {
  if (id !== null && !(await hasLogicalNumber(work, id))) {
    throw invalid('logicalNumberId', 'is not the id of a logical number');
  }
}
