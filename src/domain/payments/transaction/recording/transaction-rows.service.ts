import type { ReadWork, WriteWork } from '../../../../database/work.js';
import { DomainError, notFound, type FieldErrors } from '../../../../platform/errors.js';
import type { Row, RowResult } from '../../../../platform/requests.js';
import type { Device } from '../../../fleet/device/device.model.js';
import { selectFormerNumbers } from '../../../fleet/device/device.service.js';
import { logicalNumbers } from '../../../fleet/logical-number/logical-number.service.js';
import { ownRow, type Reporter } from './transaction-recording.rules.js';
import {
  checkRecords,
  storeRecords,
  type CheckedRecords,
  type RecordResult,
} from './transaction-recording.service.js';
import { errorsOfRow, inputOfRow } from './transaction-row.model.js';

/** Checked and masked rows, or their errors. `lines` contains their line numbers. */
export interface CheckedRows {
  readonly lines: readonly number[];
  readonly records: CheckedRecords;
}

/** Refuses a request before its first row if the storage has no room for rows. Errors: `storage_full`. */
export function demandRoomForRows(work: WriteWork): Promise<void> {
  work.demandRoom();
  // Nothing is written, so the success of this unit does not prove that there is room.
  work.freesRoom();
  return Promise.resolve();
}

/** Checks and masks the rows of a batch. Runs before the unit of work begins, see `checkRecords`. */
export async function checkRows(rows: readonly Row[]): Promise<CheckedRows> {
  return {
    lines: rows.map(({ line }) => line),
    records: await checkRecords(rows, {
      read: (row) => inputIn(row as Row),
      lengthOf: (row) => bytesIn(row as Row),
      isKnownByContent: true,
    }),
  };
}

/** Terminal of a device, for rows that it sends now. */
export async function reporterOf(
  work: ReadWork,
  { id, serialNumber, logicalNumberId }: Device & { readonly logicalNumberId: number },
): Promise<Reporter> {
  const number = (await logicalNumbers.byIds(work, [logicalNumberId])).get(logicalNumberId);
  if (number === undefined) throw notFound('logical number');
  const formerNumbers = await selectFormerNumbers(work, id);
  return { serialNumber, logicalNumber: number.number, formerNumbers, now: work.now };
}

/** Like `checkRows`, for rows that a terminal sends: it may record only its own transactions. */
export async function checkOwnRows(rows: readonly Row[], reporter: Reporter): Promise<CheckedRows> {
  return await checkRows(rows.map((row) => ownRow(row, reporter)));
}

const bytesIn = (row: Row): number => ('bytes' in row ? row.bytes : 0);

/**
 * Stores the valid rows of a batch. One result for each row, in the same order. A row that ends a running
 * transaction counts as created.
 */
export async function storeRows(
  work: WriteWork,
  { lines, records }: CheckedRows,
): Promise<readonly RowResult[]> {
  const results = await storeRecords(work, records, { mayEnd: true });
  return results.map((result, index) => rowResult(lines[index] ?? 0, result));
}

/** Errors: `invalid`. */
function inputIn(row: Row): unknown {
  if ('value' in row) return inputOfRow(row.value);
  throw new DomainError('invalid', 'The row is not valid.', { fields: row.errors });
}

function rowResult(line: number, { transaction, repeated, problem }: RecordResult): RowResult {
  if (problem !== null) return { line, result: 'rejected', errors: errorsIn(problem) };
  return { line, result: repeated ? 'repeated' : 'created', id: transaction.id };
}

/** Errors by field of a row. Throws the given error if it names no fields. */
function errorsIn(problem: DomainError): FieldErrors {
  if (problem.details.fields === undefined) throw problem;
  return errorsOfRow(problem.details.fields);
}
