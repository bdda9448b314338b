import type { WriteWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, invalid, taken } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { hasCardNumber } from '../card-data/card-numbers.rules.js';
import { TransactionRecord, type Transaction } from '../transaction.model.js';
import { insertTransactions, storedForm } from '../transaction.repository.js';
import { matchRecords, type Match } from './transaction-matching.service.js';
import { scrubRecord, withReference } from './transaction-recording.rules.js';

/** What became of one record of a batch. */
export type RecordResult =
  | { readonly transaction: Transaction; readonly repeated: boolean; readonly problem: null }
  | { readonly transaction: null; readonly repeated: false; readonly problem: DomainError };

/** Stores one reported transaction, or finds the one that it repeats. Errors: `invalid`, `taken`. */
export async function recordTransaction(
  work: WriteWork,
  input: unknown,
): Promise<{ readonly transaction: Transaction; readonly repeated: boolean }> {
  const [result] = await recordEach(work, [input]);
  if (result === undefined) throw new Error('A record has no result');
  if (result.problem !== null) throw result.problem;
  return result;
}

interface RecordOptions {
  /** Whether a record without a reference gets one from its values. */
  readonly isKnownByContent?: boolean;
}

/** Stores those of the reported transactions that are valid. One result for each, in the same order. */
export async function recordEach(
  work: WriteWork,
  input: readonly unknown[],
  options: RecordOptions = {},
): Promise<readonly RecordResult[]> {
  return await storeRecords(work, await checkRecords(input, options));
}

/** Reported transactions that are masked, or what is wrong with them. */
export type CheckedRecords = readonly (Masked | DomainError)[];

/** Checks and masks reported transactions: before a unit of work begins, so that no other change waits for it to write. */
export async function checkRecords(
  input: readonly unknown[],
  { isKnownByContent = false }: RecordOptions = {},
): Promise<CheckedRecords> {
  const checked: (Masked | DomainError)[] = [];
  let workInTurn = 0;
  for (const each of input) {
    if (workInTurn > WORK_PER_TURN) {
      await yieldToEventLoop();
      workInTurn = 0;
    }
    const result = checkedRecord(each, isKnownByContent);
    workInTurn += workOf(result);
    checked.push(result);
  }
  return checked;
}

/** Stores those that are valid; one result for each, in the same order. */
export async function storeRecords(
  work: WriteWork,
  checked: CheckedRecords,
): Promise<readonly RecordResult[]> {
  const valid = checked.flatMap((each) => (each instanceof DomainError ? [] : [each]));
  const results = await store(work, valid, await matchRecords(work, valuesOf(valid)));
  let next = 0;
  return checked.map((each) => {
    const result = each instanceof DomainError ? refusedWith(each) : results[next++];
    if (result === undefined) throw new Error('A record has no result');
    return result;
  });
}

/** Characters: checking and masking so many takes up to 20 ms. */
const WORK_PER_TURN = 16_384;
/** A record without texts takes as long as so many characters. */
const WORK_OF_RECORD = 400;

type Masked = ReturnType<typeof scrubRecord>;

function workOf(checked: Masked | DomainError): number {
  if (checked instanceof DomainError) return WORK_OF_RECORD;
  const { sent, received, detail } = checked.value;
  return WORK_OF_RECORD + (sent?.length ?? 0) + (received?.length ?? 0) + detail.length;
}

function checkedRecord(input: unknown, isKnownByContent: boolean): Masked | DomainError {
  try {
    const { value, scrubs } = masked(parse(TransactionRecord, input));
    return { value: isKnownByContent ? withReference(value) : value, scrubs };
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Errors: `invalid` for a card number as the reference, which cannot be masked: it would not be unique any more. */
function masked(record: TransactionRecord): Masked {
  if (record.reference !== null && hasCardNumber(record.reference)) {
    throw invalid('reference', 'must not be a card number: put letters before and after its digits');
  }
  return scrubRecord(record);
}

const valuesOf = (records: readonly Masked[]): TransactionRecord[] => records.map(({ value }) => value);

/** One statement to insert 200 records, and one for the ledger. */
async function store(
  work: WriteWork,
  records: readonly Masked[],
  matches: readonly Match[],
): Promise<readonly RecordResult[]> {
  const added = await insertNew(work, valuesOf(records), matches);
  const scrubs = records.reduce((sum, each, index) => sum + (added.has(index) ? each.scrubs : 0), 0);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return matches.map((match, index) => resultOf(match, index, added));
}

/** The new transactions by the index of their record. */
async function insertNew(
  work: WriteWork,
  values: readonly TransactionRecord[],
  matches: readonly Match[],
): Promise<ReadonlyMap<number, Transaction>> {
  const indexes = [...matches.keys()].filter((index) => matches[index]?.is === 'new');
  const records = indexes.flatMap((index) => values[index] ?? []);
  const ids = await insertTransactions(work, records);
  const [firstId, lastId] = [ids[0], ids.at(-1)];
  if (firstId !== undefined) {
    const after = { count: ids.length, first_id: firstId, last_id: lastId };
    work.ledger.append({ action: 'record', entityType: 'transaction', entityId: firstId, after });
  }
  return new Map(
    records.map((record, n) => [indexes[n] ?? -1, { ...storedForm(record), id: ids[n] ?? -1 }] as const),
  );
}

function resultOf(match: Match, index: number, added: ReadonlyMap<number, Transaction>): RecordResult {
  if (match.is === 'other') return refusedWith(taken('reference', othersMessage(match.fields)));
  const source = match.is === 'new' ? { index } : match.of;
  const transaction = 'id' in source ? source : added.get(source.index);
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
