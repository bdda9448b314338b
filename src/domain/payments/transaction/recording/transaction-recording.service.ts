import type { WriteWork } from '../../../../database/work.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { DomainError, taken, invalid } from '../../../../platform/errors.js';
import { parse } from '../../../../platform/validate.js';
import { TransactionRecord, type Transaction, TransactionFinish } from '../transaction.model.js';
import { insertTransactions, storedForm, updateResults } from '../transaction.repository.js';
import {
  matchRecords,
  type Match,
  type MatchOptions,
  differencesOf,
} from './transaction-matching.service.js';
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
  const values = valid.map(({ value }) => value);
  const results = await store(work, valid, await matchRecords(work, values, options));
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

/** One statement per 200 new records, one per 200 results, and one for the ledger. */
async function store(
  work: WriteWork,
  records: readonly Masked[],
  matches: readonly Match[],
): Promise<readonly RecordResult[]> {
  // Last record with new values, by index of the first record of a new transaction, or by transaction that ends.
  const added = new Map<number, Masked>();
  const ended = new Map<Transaction, Masked>();
  for (const [index, record] of records.entries()) {
    const match = matches[index];
    if (match?.is === 'new') added.set(index, record);
    else if (match?.is === 'result') {
      if ('id' in match.of) ended.set(match.of, record);
      else added.set(match.of.index, record);
    }
  }
  const stored = { added: await insertNew(work, added), ended: await endTransactions(work, ended) };
  const scrubs = [...added.values(), ...ended.values()].reduce((sum, record) => sum + record.scrubs, 0);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return matches.map((match, index) => resultOf(match, index, stored));
}

/** New transactions by index of their first record. */
async function insertNew(
  work: WriteWork,
  added: ReadonlyMap<number, Masked>,
): Promise<ReadonlyMap<number, Transaction>> {
  const ids = await insertTransactions(
    work,
    Array.from(added.values(), ({ value }) => value),
  );
  const [firstId, lastId] = [ids[0], ids.at(-1)];
  if (firstId !== undefined) {
    const after = { count: ids.length, first_id: firstId, last_id: lastId };
    work.ledger.append({ action: 'record', entityType: 'transaction', entityId: firstId, after });
  }
  return new Map(
    Array.from(added, ([first, { value }], n) => [first, { ...storedForm(value), id: ids[n] ?? -1 }]),
  );
}

/** Running transactions that end; returns them by id. One statement per 200, and one for the ledger. */
async function endTransactions(
  work: WriteWork,
  ended: ReadonlyMap<Transaction, Masked>,
): Promise<ReadonlyMap<number, Transaction>> {
  const results = Array.from(ended, ([{ id }, { value }]) => ({ ...value, id }));
  const updated = await updateResults(work, results);
  for (const current of ended.keys()) {
    const after = updated.get(current.id);
    if (after === undefined) throw new Error('A transaction that ends does not exist any more');
    work.ledger.updated('transaction', current, after);
  }
  return updated;
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
  const masked = scrubRecord(record);
  if (!isRunning) {
    if (differencesOf(current, masked.value).length > 0) throw decided();
    return current;
  }
  const ended = await endTransactions(work, new Map([[current, masked]]));
  if (masked.scrubs > 0) work.count('cardDataScrubs', masked.scrubs);
  return ended.get(current.id) ?? current;
}

const decided = () => invalid('status', 'has been decided already');

/** The later instant: the clock of a terminal may be ahead of the server's. */
function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}
