import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { ErrorPolicy } from '../../../platform/requests/rows.js';
import { SerialNumber, type Device, type DeviceRow } from './device.model.js';
import { deviceTable } from './device.repository.js';
import { findDevicesBySerialNumbers, newDevice } from './device.service.js';

type CheckedRow = Omit<DeviceRow, 'device'>;

/**
 * Creates many devices. Returns one row for each serial number, in the same order, with the problems of that
 * row. REJECT_EVERYTHING creates nothing if any row has a problem.
 */
export async function createDevices(
  work: WriteWork,
  serialNumbers: readonly string[],
  errorPolicy: ErrorPolicy,
): Promise<DeviceRow[]> {
  const rows = await refuseKnown(work, checkEach(serialNumbers));
  const valid = rows.filter((row) => row.problems.length === 0);
  const stopped = errorPolicy === 'REJECT_EVERYTHING' && valid.length < rows.length;
  const created = stopped ? new Map<string, Device>() : await insertAll(work, valid);
  return rows.map((row) => ({
    ...row,
    device: row.problems.length === 0 ? (created.get(row.serialNumber) ?? null) : null,
  }));
}

function checkEach(serialNumbers: readonly string[]): CheckedRow[] {
  const first = new Map<string, number>();
  return serialNumbers.map((given, index) => {
    const checked = SerialNumber.safeParse(given);
    if (!checked.success) {
      const problems = checked.error.issues.map((issue) => issue.message);
      return { index, serialNumber: given, problems, isTaken: false };
    }
    const earlier = first.get(checked.data);
    if (earlier === undefined) first.set(checked.data, index);
    const problems = earlier === undefined ? [] : ['is given twice'];
    return { index, serialNumber: checked.data, problems, isTaken: false };
  });
}

async function refuseKnown(work: ReadWork, rows: readonly CheckedRow[]): Promise<CheckedRow[]> {
  const valid = rows.filter((row) => row.problems.length === 0).map((row) => row.serialNumber);
  const known = await findDevicesBySerialNumbers(work, valid);
  return rows.map((row) =>
    row.problems.length === 0 && known.has(row.serialNumber)
      ? { ...row, problems: ['exists already'], isTaken: true }
      : row,
  );
}

async function insertAll(work: WriteWork, rows: readonly CheckedRow[]): Promise<Map<string, Device>> {
  const devices = await deviceTable.insertMany(
    work,
    rows.map(({ serialNumber }) => newDevice({ serialNumber })),
  );
  const created = new Map(devices.map((device) => [device.serialNumber, device]));
  for (const { serialNumber } of rows) {
    const after = created.get(serialNumber);
    if (after === undefined) throw new Error('A device was inserted and not returned');
    work.ledger.created('device', after);
  }
  return created;
}
