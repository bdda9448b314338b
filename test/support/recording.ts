import type { WriteWork } from '../../src/database/work.js';
import { recordEach } from '../../src/domain/payments/transaction/recording/transaction-recording.service.js';

/** Stores new transactions, or throws the problem of the first that is refused, which undoes the unit of work. */
export async function recordAll(work: WriteWork, rows: readonly unknown[]) {
  const ids = (await recordEach(work, rows)).map(({ transaction, problem }) => {
    if (problem !== null) throw problem;
    return transaction.id;
  });
  return { count: ids.length, firstId: ids[0] ?? null, lastId: ids.at(-1) ?? null };
}
