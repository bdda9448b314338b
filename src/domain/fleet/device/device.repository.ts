import { type RawBuilder, sql } from 'kysely';

import { CompanyRows, only } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { flag, instant, json, jsonText, textOf } from '../../../database/storage.js';
import { type ReadWork, specialSql } from '../../../database/work.js';
import type { Device, DeviceCount, DeviceMeta, DeviceTotals, FormerNumber } from './device.model.js';
import { meaningOfLastSeenAt, meaningOfPresence } from './presence.repository.js';

export const deviceTable = new CompanyTable<'devices', Device>('devices');

export const devices = auditedList(deviceTable, {
  name: 'Device',
  others: { lastSeenAt: 'last_seen_at' },
  orders: { SERIAL_NUMBER: 'serial_number', LAST_SEEN_AT: 'last_seen_at' },
  filters: {
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    enabled: { column: 'enabled', kind: 'flag', order: 'ID' },
    frameworkVersion: { column: 'framework_version', kind: 'text', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
    lastSeenAt: { column: 'last_seen_at', kind: 'instant', meaning: meaningOfLastSeenAt },
    presence: { column: 'last_seen_at', kind: 'choice', meaning: meaningOfPresence },
  },
});

export const devicesOfLogicalNumber = devices.of({ column: 'logical_number_id' });

const formerNumbers = new CompanyRows('device_numbers');

/** The logical numbers that a device had before, the earliest first. */
export async function selectFormerNumbers(
  work: ReadWork,
  deviceId: number,
): Promise<readonly FormerNumber[]> {
  const rows = await formerNumbers.select(work, { device_id: deviceId }, { orderBy: ['ended_at'] });
  return rows.map(({ number, ended_at }) => ({ number, endedAt: instant.fromColumn(ended_at) }));
}

/** `meta` of a device that has not reported yet. */
const NO_META = json<DeviceMeta>().toColumn({});

/** Limit of rows: terminals report arbitrary values. */
export const MAX_VALUES = 100;

/** One statement. */
export async function totalDevices(work: ReadWork): Promise<DeviceTotals> {
  const { db, companyId } = specialSql(work);
  const own = sql`from devices where company_id = ${companyId}`;
  const { rows } = await sql<{ total: number | null; enabled: number; never_seen: number }>`select
    (select total from counters where company_id = ${companyId} and name = 'devices') as total,
    (select count(*) ${own} and enabled = ${flag.toColumn(true)}) as enabled,
    (select count(*) ${own} and framework_version is null and ${textOf('meta')} = ${NO_META}) as never_seen`.execute(
    db,
  );
  const { total, enabled, never_seen: neverSeen } = only(rows);
  return { total: total ?? 0, enabled, disabled: (total ?? 0) - enabled, neverSeen };
}

/** Number of devices by framework version, the largest number first. */
export async function devicesByFrameworkVersion(work: ReadWork): Promise<DeviceCount[]> {
  return await countBy(work, sql.ref<string | null>('framework_version'));
}

/** Number of devices by model, the largest number first. */
export async function devicesByModel(work: ReadWork): Promise<DeviceCount[]> {
  return await countBy(work, jsonText('meta', 'model'));
}

async function countBy(work: ReadWork, value: RawBuilder<string | null>): Promise<DeviceCount[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<DeviceCount>`select ${value} as value, count(*) as count from devices
    where company_id = ${companyId} group by ${value}
    order by count desc, value nulls first limit ${MAX_VALUES}`.execute(db);
  return rows;
}
