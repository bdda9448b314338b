import type { Units } from '../../database/work.js';
import {
  checkRows,
  storeRows,
} from '../../domain/payments/transaction/recording/transaction-rows.service.js';
import type { Caller } from '../../platform/caller.js';
import {
  addRows,
  batchesOf,
  NO_ROWS,
  type RejectedRow,
  type Row,
  type RowTotals,
} from '../../platform/requests.js';

interface ImportOptions {
  readonly units: Units;
  readonly caller: Caller;
  readonly rows: AsyncIterable<Row>;
  /** Called after the commit of each batch with its rejected rows and the totals so far. */
  readonly onBatch: (rejected: readonly RejectedRow[], totals: RowTotals) => void;
}

/** Maximum rows and bytes stored in one transaction. */
const BATCH = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/**
 * Stores the valid rows in batches. A row counts as repeated if its reference, or its values, were stored
 * before.
 */
export async function importTransactions({
  units,
  caller,
  rows,
  onBatch,
}: ImportOptions): Promise<RowTotals> {
  let totals = NO_ROWS;
  for await (const batch of batchesOf(rows, BATCH)) {
    const checked = await checkRows(batch);
    const results = await units.write(caller, (work) => storeRows(work, checked));
    totals = addRows(totals, results);
    onBatch(
      results.filter((row) => row.result === 'rejected'),
      totals,
    );
  }
  return totals;
}
