import { isDeepStrictEqual } from 'node:util';

import type { ReadWork } from '../../../../database/work.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import type { Transaction, TransactionRecord } from '../transaction.model.js';
import { findTransactionsByKeys, storedForm } from '../transaction.repository.js';
import { comparedFields, differencesOfStart, type Content } from './transaction-recording.rules.js';

/** A stored transaction, or the index of the record of the batch that creates it. */
type Original = Transaction | { readonly index: number };

/** Result of comparing a record of a batch with others of the same reference and serial number. */
export type Match =
  | { readonly is: 'new' }
  /** A stored transaction, or an earlier record of the batch, has the same values. */
  | { readonly is: 'repeated'; readonly of: Original }
  /** The record is the result of a running transaction. */
  | { readonly is: 'result'; readonly of: Original }
  /** A transaction with the same reference has other values in these fields. */
  | { readonly is: 'other'; readonly fields: readonly string[] };

export interface MatchOptions {
  /** Whether a record may be the result of a running transaction with the same reference. */
  readonly mayEnd: boolean;
}

/** Latest record with a reference: stored, or earlier in the batch. */
interface Known {
  readonly record: TransactionRecord;
  readonly of: Original;
}

/** Compares masked records with stored transactions and with each other. One statement. */
export async function matchRecords(
  work: ReadWork,
  records: readonly TransactionRecord[],
  options: MatchOptions,
): Promise<readonly Match[]> {
  const keys = records.flatMap(({ reference, serialNumber }) =>
    reference === null ? [] : [{ reference, serialNumber }],
  );
  const known = new Map<string, Known>();
  const stored = keys.length === 0 ? [] : await findTransactionsByKeys(work, keys);
  for (const of of stored) known.set(keyOf(of), { record: of, of });
  const matchOf = (record: TransactionRecord, index: number): Match => {
    if (record.reference === null) return { is: 'new' };
    const key = keyOf(record);
    const before = known.get(key);
    const match: Match = before === undefined ? { is: 'new' } : compared(before, record, options);
    if (match.is === 'new') known.set(key, { record, of: { index } });
    else if (match.is === 'result') known.set(key, { record, of: match.of });
    return match;
  };
  const matches: Match[] = [];
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % RECORDS_PER_TURN === 0) await yieldToEventLoop();
    matches.push(matchOf(record, index));
  }
  return matches;
}

/** The separator occurs in neither text. */
const keyOf = ({ reference, serialNumber }: TransactionRecord): string =>
  `${reference ?? ''}\n${serialNumber}`;

/** Records compared per turn of the event loop: comparing a payment takes about 30 µs. */
const RECORDS_PER_TURN = 200;

function compared({ record, of }: Known, given: TransactionRecord, { mayEnd }: MatchOptions): Match {
  // A record of the batch is compared in the form in which it is read back.
  const before = record === of ? record : storedForm(record);
  const fields = differencesOf(before, given);
  if (fields.length === 0) return { is: 'repeated', of };
  const ofStart = mayEnd ? differencesOfStart(before, given, fields) : undefined;
  return ofStart?.length === 0 ? { is: 'result', of } : { is: 'other', fields: ofStart ?? fields };
}

/** Names of the fields in which a masked record differs from a stored transaction with the same reference. */
export function differencesOf(stored: TransactionRecord, given: TransactionRecord): readonly Content[] {
  const form = storedForm(given);
  return comparedFields(stored, form).filter((field) => !isDeepStrictEqual(stored[field], form[field]));
}
