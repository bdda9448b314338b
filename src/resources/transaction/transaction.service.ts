import type { ReadWork, WriteWork } from '../../database/work.js';
import { DomainError, invalid } from '../../platform/errors.js';
import { offsetOf, type Page, type PageRequest } from '../../platform/page.js';
import { parse } from '../../platform/validate.js';
import { found } from '../shared/records.service.js';
import { scrubPayment, scrubText, type Scrubbed } from './card-data/card-data.rules.js';
import {
  TransactionFilter,
  TransactionFinish,
  TransactionRecord,
  TransactionRecords,
  type Transaction,
} from './transaction.model.js';
import {
  findTransaction,
  insertTransactions,
  selectTransactions,
  updateTransactionRow,
} from './transaction.repository.js';
import { periodOf, placeOfPage } from './transaction.rules.js';
import { sumOf, totalsOf, type Narrowed } from './transaction.totals.service.js';

export async function getTransaction(work: ReadWork, id: number): Promise<Transaction> {
  return found(await findTransaction(work, id), 'transaction');
}

/** Newest first. Errors: `malformed` for a filter that no transaction could match (contract 27). */
export async function listTransactions(
  work: ReadWork,
  input: unknown,
  request: PageRequest,
): Promise<Page<Transaction>> {
  const narrowed = narrowedBy(readFilter(input));
  const ranges = await totalsOf(work, narrowed, offsetOf(request));
  const place = placeOfPage(ranges, offsetOf(request), request.perPage);
  const records = place === undefined ? [] : await selectTransactions(work, narrowed.where, place);
  return { records, total: sumOf(ranges), request };
}

/** From the beginning of `since` to the end of `until`. */
function narrowedBy({ since, until, ...exact }: TransactionFilter): Narrowed {
  const given = Object.entries(exact).filter(([, value]) => value !== undefined);
  return {
    period: periodOf(since?.from, until?.to),
    where: { and: given.map(([field, value]) => ({ field, operator: 'eq', value })) },
  };
}

function readFilter(input: unknown): TransactionFilter {
  try {
    return parse(TransactionFilter, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('malformed', 'Some filters are not valid.', error.details);
  }
}

export interface Recorded {
  readonly count: number;
  readonly firstId: number | null;
  readonly lastId: number | null;
  /** Number of places where card data was masked. */
  readonly scrubs: number;
}

/**
 * Stores reported transactions, all or none, with card data masked. Calls `onScrub` with the number of masked places
 * after the commit. Errors: `invalid`, by the index of the record.
 */
export async function recordTransactions(
  work: WriteWork,
  input: readonly unknown[],
  onScrub?: (scrubs: number) => void,
): Promise<Recorded> {
  const scrubbed = parse(TransactionRecords, input).map(scrubRecord);
  const ids = await insertTransactions(
    work,
    scrubbed.map(({ value }) => value),
  );
  const scrubs = scrubbed.reduce((sum, record) => sum + record.scrubs, 0);
  const recorded = { count: ids.length, firstId: ids[0] ?? null, lastId: ids.at(-1) ?? null, scrubs };
  if (recorded.firstId !== null) {
    work.ledger.append({
      action: 'record',
      entityType: 'transaction',
      entityId: recorded.firstId,
      after: { count: recorded.count, first_id: recorded.firstId, last_id: recorded.lastId },
    });
  }
  if (scrubs > 0) work.afterCommit(() => onScrub?.(scrubs));
  return recorded;
}

/** A running transaction becomes a success or a failure. Errors: `invalid`, also if it has already ended. */
export async function finishTransaction(
  work: WriteWork,
  current: Transaction,
  input: unknown,
): Promise<Transaction> {
  const { finishedAt = laterOf(work.now, current.startedAt), ...changes } = parse(TransactionFinish, input);
  if (current.status !== 'running') throw invalid('status', 'has been decided already');
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const record = parse(TransactionRecord, { ...current, ...Object.fromEntries(given), finishedAt });
  const transaction = await updateTransactionRow(work, current.id, scrubRecord(record).value);
  work.ledger.updated('transaction', current, transaction);
  return transaction;
}

/** The later instant: the clock of a terminal may be ahead of the server's. */
function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}

function scrubRecord(record: TransactionRecord): Scrubbed<TransactionRecord> {
  const detail = scrubText(record.detail);
  const sent = record.sent === null ? null : scrubText(record.sent);
  const received = record.received === null ? null : scrubText(record.received);
  const parsed = record.parsed === null ? null : scrubPayment(record.parsed);
  const parts = [detail, sent, received, parsed];
  return {
    value: {
      ...record,
      detail: detail.value,
      sent: sent?.value ?? null,
      received: received?.value ?? null,
      parsed: parsed?.value ?? null,
    },
    scrubs: parts.reduce((sum, part) => sum + (part?.scrubs ?? 0), 0),
  };
}
