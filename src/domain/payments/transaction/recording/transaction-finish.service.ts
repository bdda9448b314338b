import type { WriteWork } from '../../../../database/work.js';
import { invalid } from '../../../../platform/errors.js';
import { parse } from '../../../../platform/validate.js';
import { TransactionFinish, TransactionRecord, type Transaction } from '../transaction.model.js';
import { updateTransactionRow } from '../transaction.repository.js';
import { differencesOf } from './transaction-matching.service.js';
import { scrubRecord } from './transaction-recording.rules.js';
import { updateResults } from './transaction-result.repository.js';

/**
 * A running transaction becomes a success or a failure. The same result again changes nothing. Errors:
 * `invalid`, also if it has ended with another result.
 */
export async function finishTransaction(
  work: WriteWork,
  current: Transaction,
  input: unknown,
): Promise<Transaction> {
  const changes = parse(TransactionFinish, input);
  const isRunning = current.status === 'running';
  if (!isRunning && changes.status !== current.status) throw decided();
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const finishedAt = isRunning ? laterOf(work.now, current.startedAt) : current.finishedAt;
  const record = parse(TransactionRecord, { ...current, finishedAt, ...Object.fromEntries(given) });
  const { value, scrubs } = scrubRecord(record);
  if (!isRunning) {
    if (differencesOf(current, value).length > 0) throw decided();
    return current;
  }
  const transaction = await updateTransactionRow(work, current.id, value);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  work.ledger.updated('transaction', current, transaction);
  return transaction;
}

/** A running transaction and the checked, masked record with its result. */
interface Ending {
  readonly current: Transaction;
  readonly record: TransactionRecord;
}

/** Ends running transactions; returns them by id. One statement per 200, and one for the ledger. */
export async function endTransactions(
  work: WriteWork,
  endings: readonly Ending[],
): Promise<ReadonlyMap<number, Transaction>> {
  const ended = endings.map(({ current, record }) => ({ ...record, id: current.id }));
  const updated = await updateResults(work, ended);
  for (const { current } of endings) {
    const after = updated.get(current.id);
    if (after === undefined) throw new Error('A transaction that ends does not exist any more');
    work.ledger.updated('transaction', current, after);
  }
  return updated;
}

const decided = () => invalid('status', 'has been decided already');

/** The later instant: the clock of a terminal may be ahead of the server's. */
function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}
