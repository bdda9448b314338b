import { CompanyRows } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { Device, FormerNumber } from './device.model.js';
import { meaningOfLastSeenAt, meaningOfPresence } from './presence/presence-filter.repository.js';

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
