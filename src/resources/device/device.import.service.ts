import type { ReadWork, WriteWork } from '../../database/work.js';
import type { ErrorPolicy } from '../../platform/batch.js';
import { SerialNumber, type Device, type DeviceRow } from './device.model.js';
import { insertDevices, selectKnownSerialNumbers } from './device.repository.js';

/** Rows in one statement. */
const SLICE = 1_000;
const NEW = { enabled: true, logicalNumberId: null, meta: {}, frameworkVersion: null };

type CheckedRow = Omit<DeviceRow, 'device'>;

/**
 * Creates devices by the thousand. One row of the answer for each of the input, in its order; what is
 * wrong with a row stands in its `problems`. REJECT_EVERYTHING creates nothing where any row has one.
 */
export async function createDevices(
  work: WriteWork,
  serialNumbers: readonly string[],
  errorPolicy: ErrorPolicy,
): Promise<DeviceRow[]> {
  const rows = await refuseKnown(work, checkEach(serialNumbers));
  const sound = rows.filter((row) => row.problems.length === 0);
  const stopped = errorPolicy === 'REJECT_EVERYTHING' && sound.length < rows.length;
  const created = stopped ? new Map<string, Device>() : await insertAll(work, sound);
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
  const known = new Set<string>();
  for (const slice of slices(rows)) {
    const texts = slice.filter((row) => row.problems.length === 0).map((row) => row.serialNumber);
    for (const serialNumber of await selectKnownSerialNumbers(work, texts)) known.add(serialNumber);
  }
  return rows.map((row) =>
    row.problems.length === 0 && known.has(row.serialNumber)
      ? { ...row, problems: ['exists already'], isTaken: true }
      : row,
  );
}

async function insertAll(work: WriteWork, rows: readonly CheckedRow[]): Promise<Map<string, Device>> {
  const created = new Map<string, Device>();
  for (const slice of slices(rows)) {
    const devices = await insertDevices(
      work,
      slice.map((row) => row.serialNumber),
      NEW,
    );
    for (const device of devices) created.set(device.serialNumber, device);
  }
  for (const { serialNumber } of rows) {
    const after = created.get(serialNumber);
    if (after === undefined) throw new Error('A device was inserted and not returned');
    work.ledger.append({ action: 'create', entityType: 'device', entityId: after.id, after });
  }
  return created;
}

function* slices<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += SLICE) yield rows.slice(start, start + SLICE);
}
