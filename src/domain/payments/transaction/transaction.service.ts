import { found } from '../../../database/company/records.js';
import type { ReadWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import { offsetOf, type Page, type PageRequest } from '../../../platform/requests/page.js';
import { parse } from '../../../platform/validate.js';
import { examineForPage } from './extent/transaction-extent.service.js';
import { placePage } from './extent/transaction-place.service.js';
import type { Narrowed } from './totals/transaction-totals.service.js';
import { selectTransactions } from './transaction-page.repository.js';
import { TransactionFilter, type Transaction } from './transaction.model.js';
import { findTransaction } from './transaction.repository.js';
import { periodOf } from './transaction.rules.js';

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
  const { total, place } = await placePage(work, narrowed, offsetOf(request), request.perPage);
  if (place === undefined) return { records: [], total, request };
  await examineForPage(work, narrowed.where, place);
  const records = await selectTransactions(work, narrowed.where, place);
  return { records, total, request };
}

/** Narrows transactions to the time from the beginning of `since` to the end of `until`. */
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
