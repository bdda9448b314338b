import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { only } from '../../../../database/company/company-rows.js';
import type { WriteWork } from '../../../../database/work.js';
import { scrubJson, scrubText, type Scrubbed } from '../../../../platform/card-data/card-data.js';
import { FIRST_DIGITS, LAST_DIGITS } from '../../../../platform/card-data/text-search.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { type DomainError, invalid, taken } from '../../../../platform/errors.js';
import { orProblem, parse } from '../../../../platform/validate.js';
import {
  type NewTransaction,
  type Transaction,
  TransactionFinish,
  TransactionRecord,
  type ParsedPayment,
  warningsOf,
} from '../transaction.model.js';
import * as store from '../transaction.repository.js';

export type RecordResult =
  | { readonly transaction: Transaction; readonly repeated: boolean; readonly problem: null }
  | { readonly transaction: null; readonly repeated: false; readonly problem: DomainError };

/** Stores a reported transaction, or finds the stored one that it repeats. Errors: `invalid`, `taken`. */
export async function recordTransaction(work: WriteWork, input: unknown, numberAtStart?: string | null) {
  const result = only(await recordEach(work, [input], numberAtStart));
  if (result.problem !== null) throw result.problem;
  return result;
}

/** Stores the valid transactions of a report. One result for each, in the same order. */
export async function recordEach(work: WriteWork, input: readonly unknown[], numberAtStart?: string | null) {
  return await storeRecords(work, await checkRecords(input, numberAtStart));
}

export type CheckedRecords = readonly (Masked | DomainError)[];

/** Checks and masks transactions before the unit of work begins, so that no other change waits for it. */
export async function checkRecords(
  input: readonly unknown[],
  numberAtStart?: string | null,
): Promise<CheckedRecords> {
  return await checkEach(input, (given) => masked(given, numberAtStart));
}

/** A valid record with card data masked. Errors: `invalid`. */
export const masked = (given: unknown, numberAtStart?: string | null): Masked =>
  scrubRecord(parse(TransactionRecord, given), numberAtStart);

/** Checks records before the unit of work begins. `lengthOf`: approximate characters of a record, if not those of its texts. */
export async function checkEach<T>(
  input: readonly T[],
  check: (given: T) => Masked,
  lengthOf: (given: T) => number = () => 0,
): Promise<CheckedRecords> {
  const checked: (Masked | DomainError)[] = [];
  let workInTurn = 0;
  for (const each of input) {
    if (workInTurn > WORK_PER_TURN) {
      await yieldToEventLoop();
      workInTurn = 0;
    }
    const result = orProblem(() => check(each));
    workInTurn += Math.max(workOf(result), lengthOf(each));
    checked.push(result);
  }
  return checked;
}

/** A transaction that records of a batch report: its latest values as they are read back, and null until it is stored. */
interface Reported {
  latest: NewTransaction;
  stored: Transaction | null;
}

/** The transaction of a record; an error if the one with its reference has other values. */
type Match = { readonly of: Reported; readonly repeated: boolean } | DomainError;

/** Records compared per turn of the event loop: comparing a payment takes about 30 µs. */
const RECORDS_PER_TURN = 200;

/**
 * Stores valid records; one result for each, in order. With `mayEnd`, one with the reference of a running transaction
 * ends it. The triggers `prove_versions` and `prove_versions_later` prove the versions with which sales were completed.
 */
export async function storeRecords(
  work: WriteWork,
  checked: CheckedRecords,
  { mayEnd } = { mayEnd: false },
): Promise<readonly RecordResult[]> {
  const known = await storedWith(work, checked);
  const added = new Map<Reported, Masked>();
  const ended = new Map<Transaction, Masked>();
  const matches: Match[] = [];
  for (const [index, record] of checked.entries()) {
    if (index > 0 && index % RECORDS_PER_TURN === 0) await yieldToEventLoop();
    const match = 'value' in record ? matchOf(known, record.value, mayEnd) : record;
    matches.push(match);
    if (!('value' in record) || !('of' in match) || match.repeated) continue;
    if (match.of.stored === null) added.set(match.of, record);
    else ended.set(match.of.stored, record);
  }
  await insertNew(work, added);
  const after = await endTransactions(work, ended);
  const scrubs = [...added.values(), ...ended.values()].reduce((sum, record) => sum + record.scrubs, 0);
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return matches.map((match) => {
    if (!('of' in match)) return { transaction: null, repeated: false, problem: match };
    const { repeated, of } = match;
    if (of.stored === null) throw new Error('A record has no transaction');
    return { transaction: after.get(of.stored.id) ?? of.stored, repeated, problem: null };
  });
}

/** The separator occurs in neither text. */
const keyOf = ({ reference, serialNumber }: TransactionRecord): string =>
  `${reference ?? ''}\n${serialNumber}`;

/** Stored transactions with the references of records, by `keyOf`. One statement. */
async function storedWith(work: WriteWork, checked: CheckedRecords): Promise<Map<string, Reported>> {
  const keys = checked.flatMap((record): [reference: string, serialNumber: string][] => {
    if (!('value' in record) || record.value.reference === null) return [];
    return [[record.value.reference, record.value.serialNumber]];
  });
  const found = keys.length === 0 ? [] : await store.findTransactionsByKeys(work, keys);
  return new Map(found.map((stored) => [keyOf(stored), { latest: stored, stored }]));
}

function matchOf(known: Map<string, Reported>, given: NewTransaction, mayEnd: boolean): Match {
  const key = given.reference === null ? null : keyOf(given);
  const of = key === null ? undefined : known.get(key);
  if (of === undefined) {
    const added: Reported = { latest: store.storedForm(given), stored: null };
    if (key !== null) known.set(key, added);
    return { of: added, repeated: false };
  }
  const fields = differencesOf(of.latest, given);
  if (fields.length === 0) return { of, repeated: true };
  const ends = mayEnd && of.latest.status === 'running' && given.status !== 'running';
  const others = ends ? fields.filter((field) => OF_START.includes(field)) : fields;
  if (others.length > 0) {
    return taken('reference', `belongs to a transaction with other values of ${others.join(', ')}`);
  }
  of.latest = store.storedForm(given);
  return { of, repeated: false };
}

/** Fields in which a masked record differs from the transaction with its reference, which may have finished since. */
function differencesOf(stored: TransactionRecord, given: NewTransaction): readonly Content[] {
  const form = store.storedForm(given);
  const compared = given.status === 'running' && stored.status !== 'running' ? OF_START : CONTENT;
  return compared.filter((field) => !isDeepStrictEqual(stored[field], form[field]));
}

/** Characters that are checked and masked per turn of the event loop: takes up to 20 ms. */
const WORK_PER_TURN = 16_384;
/** Cost of a record without texts, in characters. */
const WORK_OF_RECORD = 400;

type Masked = ReturnType<typeof scrubRecord>;

function workOf(checked: Masked | DomainError): number {
  if (!('value' in checked)) return WORK_OF_RECORD;
  const { sent, received, detail } = checked.value;
  return WORK_OF_RECORD + (sent?.length ?? 0) + (received?.length ?? 0) + detail.length;
}

async function insertNew(work: WriteWork, added: ReadonlyMap<Reported, Masked>): Promise<void> {
  const records = Array.from(added.values(), ({ value }) => value);
  const ids = await store.insertTransactions(work, records);
  const [firstId] = ids;
  if (firstId !== undefined) {
    const after = { count: ids.length, first_id: firstId, last_id: ids.at(-1) };
    work.ledger.append({ action: 'record', entityType: 'transaction', entityId: firstId, after });
  }
  for (const [index, of] of [...added.keys()].entries()) of.stored = { ...of.latest, id: ids[index] ?? -1 };
}

/** Running transactions that end; returns them by id. One statement per 200, and one for the ledger. */
async function endTransactions(work: WriteWork, ended: ReadonlyMap<Transaction, Masked>) {
  const results = Array.from(ended, ([{ id }, { value }]) => ({ ...value, id }));
  const updated = await store.updateResults(work, results);
  for (const current of ended.keys()) {
    const after = updated.get(current.id);
    if (after === undefined) throw new Error('A transaction that ends does not exist any more');
    work.ledger.updated('transaction', current, after);
  }
  return updated;
}

/** Ends a running transaction. The same result again changes nothing; another one is `invalid`. */
export async function finishTransaction(work: WriteWork, current: Transaction, input: unknown) {
  const changes = parse(TransactionFinish, input);
  const isRunning = current.status === 'running';
  if (!isRunning && changes.status !== current.status) throw decided();
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  // The clock of a terminal may be ahead of the server's.
  const now = work.now > current.startedAt ? work.now : current.startedAt;
  const finishedAt = isRunning ? now : current.finishedAt;
  const record = parse(TransactionRecord, { ...current, finishedAt, ...Object.fromEntries(given) });
  const { value, scrubs } = scrubRecord(record);
  if (!isRunning) {
    if (differencesOf(current, value).length > 0) throw decided();
    return current;
  }
  const ended = await endTransactions(work, new Map([[current, { value, scrubs }]]));
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  return ended.get(current.id) ?? current;
}

const decided = () => invalid('status', 'has been decided already');

const TEXTS = ['detail', 'frameworkVersion', 'sent', 'received'] as const;

function scrubRecord(
  record: TransactionRecord,
  numberAtStart: string | null = null,
): Scrubbed<NewTransaction> {
  const parsed = record.parsed === null ? null : scrubPayment(record.parsed);
  const value = { ...record, parsed: parsed?.value ?? null, numberAtStart };
  let scrubs = parsed?.scrubs ?? 0;
  for (const field of TEXTS) {
    const text = record[field];
    if (text === null) continue;
    const scrubbed = scrubText(text);
    value[field] = scrubbed.value;
    scrubs += scrubbed.scrubs;
  }
  return { value, scrubs };
}

/** A payment without card data: `firstDigits` has at most 6, `lastDigits` at most 4. */
export function scrubPayment(payment: ParsedPayment): Scrubbed<ParsedPayment> {
  const { card } = payment;
  if (card === null) return scrubJson(payment) as Scrubbed<ParsedPayment>;
  const firstDigits = card.firstDigits?.slice(0, FIRST_DIGITS) ?? null;
  const lastDigits = card.lastDigits?.slice(-LAST_DIGITS) ?? null;
  const cuts = Number(firstDigits !== card.firstDigits) + Number(lastDigits !== card.lastDigits);
  const { value, scrubs } = scrubJson({ ...payment, card: { ...card, firstDigits, lastDigits } });
  return { value: value as ParsedPayment, scrubs: scrubs + cuts };
}

/** A masked record, with the hash of its values as the reference if it has none (decisions.md#transaction-identity). */
export function withReference(scrubbed: NewTransaction): NewTransaction {
  if (scrubbed.reference !== null) return scrubbed;
  const values = CONTENT.map((field) => scrubbed[field]);
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return { ...scrubbed, reference: `sha256-${hash}` };
}

type Content = Exclude<keyof TransactionRecord, 'reference'>;

/** Fields that may change when a transaction finishes, and those that are known when it starts. */
const OF_RESULT = Object.keys(TransactionFinish.shape) as Content[];
const OF_START = (Object.keys(TransactionRecord.shape) as Content[]).filter(
  (field) => !OF_RESULT.includes(field) && (field as string) !== 'reference',
);
const CONTENT = [...OF_START, ...OF_RESULT];

/** Adds what to check about a stored transaction to the warnings of the answer. */
export function addWarnings(work: WriteWork, transaction: Transaction, path = ''): void {
  const warnings = Object.entries(warningsOf(transaction));
  work.warnings.push(...warnings.map(([field, [text]]) => `${path}${field}: ${text}`));
}
