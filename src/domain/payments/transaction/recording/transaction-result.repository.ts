import { instant } from '../../../../database/storage.js';
import type { WriteWork } from '../../../../database/work.js';
import { figuresOf } from '../transaction-figures.repository.js';
import type { Transaction } from '../transaction.model.js';
import { columnsOf, transactionOf, transactionRows } from '../transaction.repository.js';

/** The columns that change when a running transaction ends. */
const RESULT_COLUMNS = [
  ...(['status', 'detail', 'sent', 'received', 'parsed', 'amount'] as const),
  ...(['payment_outcome', 'finished_at'] as const),
  ...(['payment_status', 'payment_type', 'brand', 'acquirer', 'installments'] as const),
];

/** Stores the results of transactions; the rest of them stays as it is. Returns them by id. */
export async function updateResults(
  work: WriteWork,
  ended: readonly Transaction[],
): Promise<ReadonlyMap<number, Transaction>> {
  const recordedAt = instant.toColumn(work.now);
  // A reference would be there twice while the row is inserted; the group is only needed for that.
  const figures = await figuresOf(work, ended);
  const columns = ended.map((transaction) => ({
    ...columnsOf(transaction),
    ...figures(transaction),
    ...{ id: transaction.id, reference: null, recorded_at: recordedAt, group_id: 0 },
  }));
  const updated = (await transactionRows.updateEach(work, columns, RESULT_COLUMNS)).map(transactionOf);
  return new Map(updated.map((transaction) => [transaction.id, transaction]));
}
