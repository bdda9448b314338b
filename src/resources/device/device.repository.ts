import { auditOf } from '../../database/audit.js';
import { CompanyTable } from '../../database/company/company-table.js';
import { auditedList } from '../../database/list/audited-list.js';
import { flag, json } from '../../database/storage.js';
import type { Device, DeviceMeta } from './device.model.js';

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
  orders: { SERIAL_NUMBER: 'serial_number' },
  filters: {
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    enabled: { column: 'enabled', kind: 'flag', order: 'ID' },
    frameworkVersion: { column: 'framework_version', kind: 'text', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
  },
});

export const devicesOfLogicalNumber = devices.of({ column: 'logical_number_id' });
