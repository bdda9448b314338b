import type { Units } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import { DomainError, type FieldErrors } from '../../platform/errors.js';
import {
  checkRecords,
  storeRecords,
  type RecordResult,
} from '../../resources/transaction/recording/transaction-recording.service.js';
import { errorsOfRow, inputOfRow } from '../../resources/transaction/recording/transaction-row.model.js';
import type { Row } from './row.js';

export interface ImportTotals {
  total: number;
  created: number;
  repeated: number;
  rejected: number;
}

export interface RejectedRow {
  readonly line: number;
  readonly errors: FieldErrors;
}

interface ImportOptions {
  readonly units: Units;
  readonly caller: Caller;
  readonly rows: AsyncIterable<Row>;
  /** Gets the rejected rows of each batch once it is committed, and the totals so far. */
  readonly onBatch: (rejected: readonly RejectedRow[], totals: Readonly<ImportTotals>) => void;
}

/** Rows that one transaction stores: less, if they have more bytes together than `BATCH_BYTES`. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Stores the valid rows, batch by batch. A row that was stored before, by its reference or its values, is repeated. */
export async function importTransactions({
  units,
  caller,
  rows,
  onBatch,
}: ImportOptions): Promise<ImportTotals> {
  const totals: ImportTotals = { total: 0, created: 0, repeated: 0, rejected: 0 };
  for await (const batch of batchesOf(rows)) {
    const { inputs, rejected } = read(batch);
    const records = inputs.map(({ input }) => input);
    const checked = await checkRecords(records, { isKnownByContent: true });
    const results = await units.write(caller, (work) => storeRecords(work, checked));
    for (const [index, { line }] of inputs.entries()) {
      const result = results[index];
      if (result !== undefined) count(totals, rejected, line, result);
    }
    totals.total += batch.length;
    totals.rejected += rejected.length;
    onBatch(
      rejected.sort((one, other) => one.line - other.line),
      totals,
    );
  }
  return totals;
}

async function* batchesOf(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += 'bytes' in row ? row.bytes : 0;
    if (batch.length === BATCH_ROWS || bytes >= BATCH_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

interface ReadBatch {
  readonly inputs: { readonly line: number; readonly input: unknown }[];
  readonly rejected: RejectedRow[];
}

function read(batch: readonly Row[]): ReadBatch {
  const [inputs, rejected]: [ReadBatch['inputs'], RejectedRow[]] = [[], []];
  for (const row of batch) {
    if ('errors' in row) rejected.push({ line: row.line, errors: row.errors });
    else {
      try {
        inputs.push({ line: row.line, input: inputOfRow(row.value) });
      } catch (error) {
        rejected.push({ line: row.line, errors: errorsIn(error) });
      }
    }
  }
  return { inputs, rejected };
}

function count(totals: ImportTotals, rejected: RejectedRow[], line: number, result: RecordResult): void {
  if (result.problem !== null) rejected.push({ line, errors: errorsIn(result.problem) });
  else if (result.repeated) totals.repeated += 1;
  else totals.created += 1;
}

/** Errors: the given one, unless it names fields. */
function errorsIn(error: unknown): FieldErrors {
  if (!(error instanceof DomainError) || error.details.fields === undefined) throw error;
  return errorsOfRow(error.details.fields);
}
