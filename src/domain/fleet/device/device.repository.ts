import { auditOf } from '../../../database/audit.js';
import { CompanyRows } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { flag, instant, json } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { Device, DeviceMeta, FormerNumber } from './device.model.js';
import { meaningOfLastSeenAt, meaningOfPresence } from './presence/presence-filter.repository.js';

const metaColumn = json<DeviceMeta>();

export const deviceTable = new CompanyTable<'devices', Device>({
  table: 'devices',
  recordOf: (row) => ({
    id: row.id,
    serialNumber: row.serial_number,
    enabled: flag.fromColumn(row.enabled),
    logicalNumberId: row.logical_number_id,
    meta: metaColumn.fromColumn(row.meta),
    frameworkVersion: row.framework_version,
    ...auditOf(row),
  }),
  columnsOf: (device) => ({
    serial_number: device.serialNumber,
    enabled: flag.toColumn(device.enabled),
    logical_number_id: device.logicalNumberId,
    meta: metaColumn.toColumn(device.meta),
    framework_version: device.frameworkVersion,
  }),
});

export const devices = auditedList(deviceTable, {
  name: 'Device',
  columns: {
    serialNumber: 'serial_number',
    enabled: 'enabled',
    logicalNumberId: 'logical_number_id',
    meta: 'meta',
    frameworkVersion: 'framework_version',
  },
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
