import type { Units } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import {
  addRows,
  batchesOf,
  NO_ROWS,
  type RejectedRow,
  type Row,
  type RowTotals,
} from '../../platform/requests/rows.js';
import { checkRows, storeRows } from '../../resources/transaction/recording/transaction-rows.service.js';

interface ImportOptions {
  readonly units: Units;
  readonly caller: Caller;
  readonly rows: AsyncIterable<Row>;
  /** Gets the rejected rows of each batch once it is committed, and the totals so far. */
  readonly onBatch: (rejected: readonly RejectedRow[], totals: RowTotals) => void;
}

/** What one transaction stores. */
const BATCH = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** Stores the valid rows, batch by batch. A row that was stored before, by its reference or its values, is repeated. */
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
