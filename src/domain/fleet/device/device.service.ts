import { isDeepStrictEqual } from 'node:util';

import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { scrubJson, scrubText } from '../../../platform/card-data/card-data.js';
import { changed, newValues } from '../../../platform/changes/changes.js';
import { normalized } from '../../../platform/encoding/text.js';
import { invalid } from '../../../platform/errors.js';
import { tooManyRecords } from '../../../platform/limits/many-records.js';
import { parse } from '../../../platform/validate.js';
import { hasLogicalNumber } from '../logical-number/logical-number.service.js';
import { DeviceCreate, DeviceReport, DeviceUpdate, type Device, type DeviceMeta } from './device.model.js';
import { deviceTable } from './device.repository.js';

export { devices, devicesOfLogicalNumber, selectFormerNumbers } from './device.repository.js';

const records = new Records({
  entityType: 'device',
  table: deviceTable,
  counter: 'devices',
  unique: {
    field: 'serialNumber',
    match: ({ serialNumber }) => ({ serial_number: serialNumber }),
    message: 'A device with this serial number exists already.',
  },
});

/** Deleting a device ends its access; its transactions stay (contract 28). */
export const { get: getDevice, list: listDevices, delete: deleteDevice } = records;

export async function getDeviceBySerialNumber(work: ReadWork, serialNumber: string): Promise<Device> {
  return await records.getBy(work, { serial_number: normalized(serialNumber) });
}

/** Devices by serial number; unknown serial numbers are absent. One statement. */
export async function findDevicesBySerialNumbers(
  work: ReadWork,
  serialNumbers: readonly string[],
): Promise<ReadonlyMap<string, Device>> {
  const found = await deviceTable.select(work, { serial_number: serialNumbers });
  return new Map(found.map((device) => [device.serialNumber, device]));
}

/** The values of a device that has reported nothing yet. Errors: `invalid`. */
export function newDevice(input: unknown) {
  return newValues(DeviceCreate, input, { enabled: true, meta: {}, frameworkVersion: null });
}

/** Errors: `invalid` (also for an unknown logical number), `taken`. */
export async function createDevice(work: WriteWork, input: unknown): Promise<Device> {
  const values = newDevice(input);
  await records.refuseTaken(work, values);
  await refuseUnknownLogicalNumber(work, values.logicalNumberId);
  return await records.insert(work, values);
}

/** Errors: `invalid`. */
export async function updateDevice(work: WriteWork, current: Device, input: unknown): Promise<Device> {
  const values = changed(current, parse(DeviceUpdate, input));
  if (values.logicalNumberId !== current.logicalNumberId) {
    await refuseUnknownLogicalNumber(work, values.logicalNumberId);
  }
  return await records.update(work, current, values);
}

/** Replaces the previous report, if it differs. Masks card data in it. Errors: `invalid`. */
export async function reportDevice(work: WriteWork, current: Device, input: unknown): Promise<Device> {
  const given = changed(current, parse(DeviceReport, input));
  const meta = scrubJson(given.meta);
  const frameworkVersion = given.frameworkVersion === null ? null : scrubText(given.frameworkVersion);
  const values = {
    ...given,
    meta: meta.value as DeviceMeta,
    frameworkVersion: frameworkVersion?.value ?? null,
  };
  if (isDeepStrictEqual(values, current)) return current;
  const scrubs = meta.scrubs + (frameworkVersion?.scrubs ?? 0);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return await records.update(work, current, values, 'report');
}

/** Maximum devices of a logical number that one request detaches. A number normally has one, or few. */
const MAX_DETACHED = 250;

/** Clears the logical number of all its devices. Errors: `too_many_records`. */
export async function detachDevicesFrom(
  work: WriteWork,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<void> {
  const of = { logical_number_id: id };
  const total = await deviceTable.count(work, of);
  if (total > MAX_DETACHED) {
    throw tooManyRecords(
      `The logical number ${number}`,
      `${total} devices`,
      MAX_DETACHED,
      'first give the devices other logical numbers, or none (PUT /v1/devices, deviceAssign)',
    );
  }
  const attached = await deviceTable.select(work, of);
  if (attached.length > 0) await records.updateAll(work, attached, { logical_number_id: null });
}

async function refuseUnknownLogicalNumber(work: ReadWork, id: number | null): Promise<void> {
  if (id !== null && !(await hasLogicalNumber(work, id))) {
    throw invalid('logicalNumberId', 'is not the id of a logical number');
  }
}
