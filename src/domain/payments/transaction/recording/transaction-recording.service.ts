import type { WriteWork } from '../../../../database/work.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { DomainError, taken } from '../../../../platform/errors.js';
import { parse } from '../../../../platform/validate.js';
import { TransactionRecord, type Transaction } from '../transaction.model.js';
import { insertTransactions, storedForm } from '../transaction.repository.js';
import { endTransactions } from './transaction-finish.service.js';
import { matchRecords, type Match, type MatchOptions } from './transaction-matching.service.js';
import { scrubRecord, withReference } from './transaction-recording.rules.js';

/** Result of one record of a batch: the transaction, or the error. */
export type RecordResult =
  | { readonly transaction: Transaction; readonly repeated: boolean; readonly problem: null }
  | { readonly transaction: null; readonly repeated: false; readonly problem: DomainError };

/** Stores a reported transaction, or finds the stored one that it repeats. Errors: `invalid`, `taken`. */
export async function recordTransaction(
  work: WriteWork,
  input: unknown,
): Promise<{ readonly transaction: Transaction; readonly repeated: boolean }> {
  const [result] = await recordEach(work, [input]);
  if (result === undefined) throw new Error('A record has no result');
  if (result.problem !== null) throw result.problem;
  return result;
}

interface CheckOptions {
  /** Reads the fields of a record; by default the record itself. Errors: `invalid`. */
  readonly read?: (given: unknown) => unknown;
  /** Approximate length of a record in characters; absent if unknown. */
  readonly lengthOf?: (given: unknown) => number;
  /** Whether a record without a reference gets one that is computed from its values. */
  readonly isKnownByContent?: boolean;
}

/** Stores the valid transactions of a report. One result for each, in the same order. */
export async function recordEach(
  work: WriteWork,
  input: readonly unknown[],
): Promise<readonly RecordResult[]> {
  return await storeRecords(work, await checkRecords(input));
}

/** Masked transactions, or their errors. */
export type CheckedRecords = readonly (Masked | DomainError)[];

/** Checks and masks transactions before the unit of work begins, so that no other change waits for it. */
export async function checkRecords(
  input: readonly unknown[],
  options: CheckOptions = {},
): Promise<CheckedRecords> {
  const checked: (Masked | DomainError)[] = [];
  let workInTurn = 0;
  for (const each of input) {
    if (workInTurn > WORK_PER_TURN) {
      await yieldToEventLoop();
      workInTurn = 0;
    }
    const result = checkedRecord(each, options);
    workInTurn += Math.max(workOf(result), options.lengthOf?.(each) ?? 0);
    checked.push(result);
  }
  return checked;
}

/**
 * Stores the valid records. One result for each record, in the same order. With `mayEnd`, a record with the
 * reference of a running transaction ends it, and counts as not repeated.
 */
export async function storeRecords(
  work: WriteWork,
  checked: CheckedRecords,
  options: MatchOptions = { mayEnd: false },
): Promise<readonly RecordResult[]> {
  const valid = checked.flatMap((each) => (each instanceof DomainError ? [] : [each]));
  const results = await store(work, valid, await matchRecords(work, valuesOf(valid), options));
  let next = 0;
  return checked.map((each) => {
    const result = each instanceof DomainError ? refusedWith(each) : results[next++];
    if (result === undefined) throw new Error('A record has no result');
    return result;
  });
}

/** Characters that are checked and masked per turn of the event loop: takes up to 20 ms. */
const WORK_PER_TURN = 16_384;
/** Cost of a record without texts, in characters. */
const WORK_OF_RECORD = 400;

type Masked = ReturnType<typeof scrubRecord>;

function workOf(checked: Masked | DomainError): number {
  if (checked instanceof DomainError) return WORK_OF_RECORD;
  const { sent, received, detail } = checked.value;
  return WORK_OF_RECORD + (sent?.length ?? 0) + (received?.length ?? 0) + detail.length;
}

function checkedRecord(
  given: unknown,
  { read = (fields) => fields, isKnownByContent = false }: CheckOptions,
): Masked | DomainError {
  try {
    const { value, scrubs } = scrubRecord(parse(TransactionRecord, read(given)));
    return { value: isKnownByContent ? withReference(value) : value, scrubs };
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

const valuesOf = (records: readonly Masked[]): TransactionRecord[] => records.map(({ value }) => value);

/** One statement per 200 new records, one per 200 results, and one for the ledger. */
async function store(
  work: WriteWork,
  records: readonly Masked[],
  matches: readonly Match[],
): Promise<readonly RecordResult[]> {
  const last = lastRecords(matches);
  const added = await insertNew(work, records, last);
  const ended = await endStored(work, records, last);
  const scrubs = [...last.values()].reduce((sum, index) => sum + (records[index]?.scrubs ?? 0), 0);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return matches.map((match, index) => resultOf(match, index, { added, ended }));
}

/**
 * Index of the last record with new values, by stored transaction that ends, or by index of the first record
 * of a new one.
 */
type LastRecords = ReadonlyMap<Transaction | number, number>;

function lastRecords(matches: readonly Match[]): LastRecords {
  const last = new Map<Transaction | number, number>();
  for (const [index, match] of matches.entries()) {
    if (match.is === 'new') last.set(index, index);
    else if (match.is === 'result') last.set('id' in match.of ? match.of : match.of.index, index);
  }
  return last;
}

/** New transactions by index of their first record. */
async function insertNew(
  work: WriteWork,
  records: readonly Masked[],
  last: LastRecords,
): Promise<ReadonlyMap<number, Transaction>> {
  const found = [...last].flatMap(([first, index]) =>
    typeof first === 'number' ? [{ first, ...recordAt(records, index) }] : [],
  );
  const ids = await insertTransactions(work, valuesOf(found));
  const [firstId, lastId] = [ids[0], ids.at(-1)];
  if (firstId !== undefined) {
    const after = { count: ids.length, first_id: firstId, last_id: lastId };
    work.ledger.append({ action: 'record', entityType: 'transaction', entityId: firstId, after });
  }
  return new Map(
    found.map(({ first, value }, n) => [first, { ...storedForm(value), id: ids[n] ?? -1 }] as const),
  );
}

/** Stored transactions that ended, by id. */
async function endStored(
  work: WriteWork,
  records: readonly Masked[],
  last: LastRecords,
): Promise<ReadonlyMap<number, Transaction>> {
  const endings = [...last].flatMap(([current, index]) =>
    typeof current === 'number' ? [] : [{ current, record: recordAt(records, index).value }],
  );
  return await endTransactions(work, endings);
}

function recordAt(records: readonly Masked[], index: number): Masked {
  const record = records[index];
  if (record === undefined) throw new Error('A batch has no such record');
  return record;
}

/** Transactions that the batch has added (by index of the record) and ended (by id). */
interface Stored {
  readonly added: ReadonlyMap<number, Transaction>;
  readonly ended: ReadonlyMap<number, Transaction>;
}

function resultOf(match: Match, index: number, { added, ended }: Stored): RecordResult {
  if (match.is === 'other') return refusedWith(taken('reference', othersMessage(match.fields)));
  const source = match.is === 'new' ? { index } : match.of;
  const transaction = 'id' in source ? (ended.get(source.id) ?? source) : added.get(source.index);
  if (transaction === undefined) throw new Error('A record has no transaction');
  return { transaction, repeated: match.is === 'repeated', problem: null };
}

const othersMessage = (fields: readonly string[]): string =>
  `belongs to a transaction with other values of ${fields.join(', ')}`;

const refusedWith = (problem: DomainError): RecordResult => ({
  transaction: null,
  repeated: false,
  problem,
});
