import { isDeepStrictEqual } from 'node:util';

import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { ReadWork } from '../../../database/work.js';
import type { Transaction, TransactionRecord } from '../transaction.model.js';
import { findTransactionsByReference, storedForm } from '../transaction.repository.js';
import { comparedFields } from './transaction-recording.rules.js';

/** What is known of one record of a batch, by its reference. */
export type Match =
  | { readonly is: 'new' }
  /** A stored transaction, or an earlier record of the batch, has the same reference and the same values. */
  | { readonly is: 'repeated'; readonly of: Transaction | { readonly index: number } }
  /** It has the same reference and other values, in these fields. */
  | { readonly is: 'other'; readonly fields: readonly string[] };

/** Compares masked records with stored transactions and with each other. One statement. */
export async function matchRecords(
  work: ReadWork,
  records: readonly TransactionRecord[],
): Promise<readonly Match[]> {
  const references = records.flatMap(({ reference }) => (reference === null ? [] : [reference]));
  const stored =
    references.length === 0
      ? new Map<string, Transaction>()
      : await findTransactionsByReference(work, references);
  const earlier = new Map<string, { readonly index: number; readonly record: TransactionRecord }>();
  const matchOf = (record: TransactionRecord, index: number): Match => {
    const { reference } = record;
    if (reference === null) return { is: 'new' };
    const known = stored.get(reference);
    if (known !== undefined) return compared(known, record, known);
    const first = earlier.get(reference);
    if (first !== undefined) return compared(storedForm(first.record), record, { index: first.index });
    earlier.set(reference, { index, record });
    return { is: 'new' };
  };
  const matches: Match[] = [];
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % RECORDS_PER_TURN === 0) await yieldToEventLoop();
    matches.push(matchOf(record, index));
  }
  return matches;
}

/** Comparing a payment with a stored one takes some 30 µs. */
const RECORDS_PER_TURN = 200;

function compared(
  stored: TransactionRecord,
  given: TransactionRecord,
  of: Transaction | { readonly index: number },
): Match {
  const fields = differencesOf(stored, given);
  return fields.length === 0 ? { is: 'repeated', of } : { is: 'other', fields };
}

/** Names of the fields in which a masked record differs from a stored transaction that it may repeat. */
export function differencesOf(stored: TransactionRecord, given: TransactionRecord): readonly string[] {
  const form = storedForm(given);
  return comparedFields(stored, form).filter((field) => !isDeepStrictEqual(stored[field], form[field]));
}
