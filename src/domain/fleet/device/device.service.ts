import { isDeepStrictEqual } from 'node:util';

import type { ValuesOf } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import type { Condition } from '../../../database/list/condition.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { scrubJson, scrubText } from '../../../platform/card-data/card-data.js';
import { DomainError, invalid, taken, tooManyRecords } from '../../../platform/errors.js';
import type { BatchRow, ErrorPolicy } from '../../../platform/requests.js';
import { orProblem, changed, newValues, parse } from '../../../platform/validate.js';
import { refuseUnknownLogicalNumber } from '../logical-number/logical-number.service.js';
import { followNumbers, grantToDevices } from '../logical-number/version-links.service.js';
import {
  type Device,
  DeviceCreate,
  type DeviceMeta,
  DeviceReport,
  DeviceUpdate,
  NEW_DEVICE,
} from './device.model.js';
import { devices, deviceTable } from './device.repository.js';

export {
  devices,
  devicesByFrameworkVersion,
  devicesByGroup,
  devicesByModel,
  devicesByPresence,
  devicesOfLogicalNumber,
  MAX_GROUPS,
  MAX_VALUES,
  selectOnlyDevices,
  lastSeenTimes,
  storeLastSeenTimes,
  totalDevices,
} from './device.repository.js';

export const deviceRecords = new Records(deviceTable, { field: 'serialNumber' });

/** Deleting a device ends its access; its transactions stay (contract 28). */
export const {
  get: getDevice,
  getByName: getDeviceBySerialNumber,
  findByNames: findDevicesBySerialNumbers,
  list: listDevices,
  delete: deleteDevice,
} = deviceRecords;

/**
 * The values of a device that has reported nothing yet. Errors: `invalid`. Once it is stored, triggers add its presence
 * (`add_device_presence`) and its tags (`tag_new_devices`), forget the unknown terminal with its serial number
 * (`forget_unknown_terminals`), and make deliveries for its logical number due (`wake_deliveries_of_new_devices`).
 */
function newDevice(input: unknown) {
  return newValues(DeviceCreate, input, NEW_DEVICE);
}

/** Errors: `invalid` (also for an unknown logical number), `taken`. */
export async function createDevice(work: WriteWork, input: unknown): Promise<Device> {
  const values = newDevice(input);
  await refuseUnknownLogicalNumber(work, 'logicalNumberId', values.logicalNumberId);
  const device = await deviceRecords.insert(work, values);
  if (device.logicalNumberId !== null) await grantToDevices(work, [device]);
  return device;
}

/**
 * Triggers note the logical number that it had (`note_numbers_of_devices`) and its tags (`tag_devices`), and make
 * deliveries due that it can get now (`wake_deliveries_of_devices`). Errors: `invalid`.
 */
export async function updateDevice(work: WriteWork, current: Device, input: unknown): Promise<Device> {
  const values = changed(current, parse(DeviceUpdate, input));
  const isMoved = values.logicalNumberId !== current.logicalNumberId;
  if (isMoved) await refuseUnknownLogicalNumber(work, 'logicalNumberId', values.logicalNumberId);
  const after = await deviceRecords.update(work, current, values);
  if (isMoved) await followNumbers(work, [after]);
  return after;
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
  const after = await deviceRecords.update(work, current, values, 'report');
  for (const follow of reportFollowers) await follow(work, current, after);
  return after;
}

/** Called when a terminal has reported other properties than before: wings above follow it. */
export const reportFollowers: ((work: WriteWork, before: Device, after: Device) => Promise<void>)[] = [];

/** Maximum devices of a logical number that one request detaches. A number normally has one, or few. */
const MAX_DETACHED = 250;

/** Clears the logical number of all its devices. Errors: `too_many_records`. */
export async function detachDevicesFrom(
  work: WriteWork,
  { id, number }: { readonly id: number; readonly number: string },
): Promise<void> {
  const of = { logical_number_id: id };
  const total = await deviceTable.rows.count(work, of);
  if (total > MAX_DETACHED) {
    const instead = 'first give the devices other logical numbers, or none (PUT /v1/devices, deviceAssign)';
    throw tooManyRecords(`The logical number ${number}`, `${total} devices`, MAX_DETACHED, instead);
  }
  const attached = await deviceTable.select(work, of);
  if (attached.length === 0) return;
  await deviceRecords.updateAll(work, attached, { logical_number_id: null });
  await followNumbers(
    work,
    attached.map((device) => ({ ...device, logicalNumberId: null })),
  );
}

const MAX_OF_TARGET = 100_000;

/** The condition of the logical numbers of all devices for which a condition holds. Errors: `too_many_records`. */
export async function numbersOfDevices(work: ReadWork, where: Condition): Promise<Condition> {
  const found = await devices.only(['id', 'logical_number_id']).upTo(work, MAX_OF_TARGET, where);
  if (found.length > MAX_OF_TARGET) {
    throw tooManyRecords(
      'The target',
      `more than ${MAX_OF_TARGET} devices`,
      MAX_OF_TARGET,
      'select fewer devices',
    );
  }
  const ids = new Set(found.map((row) => row.logical_number_id).filter((id) => id !== null));
  return { field: 'id', operator: 'in', value: [...ids] };
}

type NewDevice = ReturnType<typeof newDevice>;

/** One row for each serial number, in order. REJECT_EVERYTHING creates nothing if any row has a problem. */
export async function createDevices(
  work: WriteWork,
  serialNumbers: readonly string[],
  errorPolicy: ErrorPolicy,
): Promise<BatchRow<Device>[]> {
  const rows = await checkEach(work, serialNumbers);
  const valid = rows.filter((row): row is NewDevice => !(row instanceof DomainError));
  const stopped = errorPolicy === 'REJECT_EVERYTHING' && valid.length < rows.length;
  const created = stopped ? new Map<string, Device>() : await insertAll(work, valid);
  return rows.map((row) =>
    row instanceof DomainError
      ? { record: null, problem: row }
      : { record: created.get(row.serialNumber) ?? null, problem: null },
  );
}

async function checkEach(work: ReadWork, serialNumbers: readonly string[]) {
  const checked = serialNumbers.map((serialNumber) => orProblem(() => newDevice({ serialNumber })));
  const given = checked.flatMap((row) => (row instanceof DomainError ? [] : [row.serialNumber]));
  const known = await findDevicesBySerialNumbers(work, given);
  const seen = new Set<string>();
  return checked.map((row) => {
    if (row instanceof DomainError) return row;
    const { serialNumber } = row;
    if (seen.has(serialNumber)) return invalid('serialNumber', 'is given twice');
    seen.add(serialNumber);
    return known.has(serialNumber) ? taken('serialNumber', 'exists already') : row;
  });
}

async function insertAll(work: WriteWork, rows: readonly NewDevice[]): Promise<Map<string, Device>> {
  const created = await deviceTable.insertMany(work, rows);
  // Ids have the order of the rows.
  created.sort((one, other) => one.id - other.id);
  for (const device of created) work.ledger.created('device', device);
  return new Map(created.map((device) => [device.serialNumber, device]));
}

/** Creates devices, and changes those of `before` with the same serial numbers. Each change is recorded. */
export async function storeDevices(
  work: WriteWork,
  before: readonly Device[],
  values: readonly ValuesOf<Device>[],
): Promise<void> {
  if (values.length === 0) return;
  const stored = await deviceTable.upsertMany(work, values, ['serial_number']);
  const earlier = new Map(before.map((device) => [device.id, device]));
  await followNumbers(
    work,
    stored.filter(
      ({ id, logicalNumberId }) => logicalNumberId !== (earlier.get(id)?.logicalNumberId ?? null),
    ),
  );
  for (const device of stored.sort((one, other) => one.id - other.id)) {
    const current = earlier.get(device.id);
    if (current === undefined) work.ledger.created('device', device);
    else work.ledger.updated('device', current, device);
  }
}
