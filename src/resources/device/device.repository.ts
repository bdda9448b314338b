import { auditOf, changedBy, changedTogether, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { amongTexts, flag, json } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { Device, DeviceMeta } from './device.model.js';

export type DeviceValues = Pick<Device, 'enabled' | 'logicalNumberId' | 'meta' | 'frameworkVersion'>;

const metaColumn = json<DeviceMeta>();

function deviceOf(row: Row<'devices'>): Device {
  return {
    id: row.id,
    serialNumber: row.serial_number,
    enabled: flag.fromColumn(row.enabled),
    logicalNumberId: row.logical_number_id,
    meta: metaColumn.fromColumn(row.meta),
    frameworkVersion: row.framework_version,
    ...auditOf(row),
  };
}

function columnsOf(values: DeviceValues) {
  return {
    enabled: flag.toColumn(values.enabled),
    logical_number_id: values.logicalNumberId,
    meta: metaColumn.toColumn(values.meta),
    framework_version: values.frameworkVersion,
  };
}

export const devices = listOf<'devices', Device>({
  name: 'Device',
  table: 'devices',
  id: 'id',
  orders: {
    ID: 'id',
    SERIAL_NUMBER: 'serial_number',
    CREATED_AT: 'created_at',
    UPDATED_AT: 'updated_at',
  },
  filters: {
    id: { column: 'id', kind: 'id' },
    serialNumber: { column: 'serial_number', kind: 'text' },
    enabled: { column: 'enabled', kind: 'flag' },
    frameworkVersion: { column: 'framework_version', kind: 'text' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: deviceOf,
});

export const devicesOfLogicalNumber = devices.of({ column: 'logical_number_id' });

const ownDevices = (work: ReadWork) =>
  work.db.selectFrom('devices').selectAll().where('company_id', '=', work.caller.companyId);

export async function findDevice(work: ReadWork, id: number): Promise<Device | undefined> {
  const row = await ownDevices(work).where('id', '=', id).executeTakeFirst();
  return row && deviceOf(row);
}

export async function findDeviceBySerialNumber(
  work: ReadWork,
  serialNumber: string,
): Promise<Device | undefined> {
  const row = await ownDevices(work).where('serial_number', '=', serialNumber).executeTakeFirst();
  return row && deviceOf(row);
}

export async function selectDevicesBySerialNumbers(
  work: ReadWork,
  serialNumbers: readonly string[],
): Promise<Device[]> {
  const rows = await ownDevices(work).where('serial_number', 'in', amongTexts(serialNumbers)).execute();
  return rows.map(deviceOf);
}

export async function selectDevices(work: ReadWork, page: PageRequest): Promise<Device[]> {
  const rows = await ownDevices(work).orderBy('id').limit(page.perPage).offset(offsetOf(page)).execute();
  return rows.map(deviceOf);
}

export async function selectKnownSerialNumbers(
  work: ReadWork,
  serialNumbers: readonly string[],
): Promise<string[]> {
  const rows = await work.db
    .selectFrom('devices')
    .select('serial_number')
    .where('company_id', '=', work.caller.companyId)
    .where('serial_number', 'in', amongTexts(serialNumbers))
    .execute();
  return rows.map((row) => row.serial_number);
}

/** In one statement, all with the same values; in no promised order. */
export async function insertDevices(
  work: WriteWork,
  serialNumbers: readonly string[],
  values: DeviceValues,
): Promise<Device[]> {
  const columns = { company_id: work.caller.companyId, ...columnsOf(values), ...createdBy(work) };
  const rows = await work.db
    .insertInto('devices')
    .values(serialNumbers.map((serialNumber) => ({ ...columns, serial_number: serialNumber })))
    .returningAll()
    .execute();
  return rows.map(deviceOf);
}

export async function updateDeviceRow(
  work: WriteWork,
  current: Device,
  values: DeviceValues,
): Promise<Device> {
  const row = await work.db
    .updateTable('devices')
    .set({ ...columnsOf(values), ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return deviceOf(row);
}

export async function deleteDeviceRow(work: WriteWork, id: number): Promise<void> {
  await work.db
    .deleteFrom('devices')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}

export async function selectDevicesOfLogicalNumber(
  work: ReadWork,
  logicalNumberId: number,
): Promise<Device[]> {
  const rows = await ownDevices(work)
    .where('logical_number_id', '=', logicalNumberId)
    .orderBy('id')
    .execute();
  return rows.map(deviceOf);
}

/** Answers the devices as they are afterwards. */
export async function clearLogicalNumber(work: WriteWork, logicalNumberId: number): Promise<Device[]> {
  const rows = await work.db
    .updateTable('devices')
    .set({ logical_number_id: null, ...changedTogether(work) })
    .where('company_id', '=', work.caller.companyId)
    .where('logical_number_id', '=', logicalNumberId)
    .returningAll()
    .execute();
  return rows.map(deviceOf);
}
