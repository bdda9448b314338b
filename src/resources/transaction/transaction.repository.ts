import { instant, json, nullable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Moment } from './moment.model.js';
import type {
  ParsedPayment,
  Transaction,
  TransactionFilter,
  TransactionRecord,
  TransactionStatus,
} from './transaction.model.js';

const time = nullable(instant);
const payment = nullable(json<ParsedPayment>());

function transactionOf(row: Row<'transactions'>): Transaction {
  return {
    id: row.id,
    transactionType: row.transaction_type as Transaction['transactionType'],
    serialNumber: row.serial_number,
    logicalNumber: row.logical_number,
    appName: row.app_name,
    detail: row.detail,
    frameworkVersion: row.framework_version,
    status: row.status as TransactionStatus,
    sent: row.sent,
    received: row.received,
    parsed: payment.fromColumn(row.parsed),
    startedAt: instant.fromColumn(row.started_at),
    finishedAt: time.fromColumn(row.finished_at),
  };
}

function columnsOf(record: TransactionRecord) {
  return {
    transaction_type: record.transactionType,
    serial_number: record.serialNumber,
    logical_number: record.logicalNumber,
    app_name: record.appName,
    detail: record.detail,
    framework_version: record.frameworkVersion,
    status: record.status,
    sent: record.sent,
    received: record.received,
    parsed: payment.toColumn(record.parsed),
    amount: record.parsed?.amount ?? null,
    started_at: instant.toColumn(record.startedAt),
    finished_at: time.toColumn(record.finishedAt),
  };
}

/** Those of a stretch of time that a filter leaves; an index holds every column named here. */
function matching(work: ReadWork, filter: TransactionFilter, { from, to }: Moment) {
  let query = work.db
    .selectFrom('transactions')
    .where('company_id', '=', work.caller.companyId)
    .where('started_at', '>=', from)
    .where('started_at', '<', to);
  if (filter.serialNumber !== undefined) query = query.where('serial_number', '=', filter.serialNumber);
  if (filter.logicalNumber !== undefined) query = query.where('logical_number', '=', filter.logicalNumber);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.transactionType !== undefined)
    query = query.where('transaction_type', '=', filter.transactionType);
  if (filter.appName !== undefined) query = query.where('app_name', '=', filter.appName);
  return query;
}

/** Counts one by one, in an index. */
export async function countTransactions(
  work: ReadWork,
  filter: TransactionFilter,
  within: Moment,
): Promise<number> {
  const { total } = await matching(work, filter, within)
    .select((column) => column.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The totals that the database keeps for each day, newest first; serial and logical numbers are not among them. */
export async function countTransactionsByDay(
  work: ReadWork,
  filter: Pick<TransactionFilter, 'status' | 'transactionType' | 'appName'>,
  days: Moment,
): Promise<{ day: number; total: number }[]> {
  let query = work.db
    .selectFrom('transaction_days')
    .select((column) => ['day', column.fn.sum<number>('total').as('total')])
    .where('company_id', '=', work.caller.companyId)
    .where('day', '>=', days.from)
    .where('day', '<', days.to);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.transactionType !== undefined)
    query = query.where('transaction_type', '=', filter.transactionType);
  if (filter.appName !== undefined) query = query.where('app_name', '=', filter.appName);
  return await query.groupBy('day').orderBy('day', 'desc').execute();
}

/** Newest first. What is skipped is skipped in an index; only the rows of the answer are read. */
export async function selectTransactions(
  work: ReadWork,
  filter: TransactionFilter,
  place: Moment & { readonly skip: number; readonly limit: number },
): Promise<Transaction[]> {
  const ids = matching(work, filter, place)
    .select('id')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(place.limit)
    .offset(place.skip);
  const rows = await work.db
    .selectFrom(ids.as('found'))
    .innerJoin('transactions', 'transactions.id', 'found.id')
    .selectAll('transactions')
    .orderBy('transactions.started_at', 'desc')
    .orderBy('transactions.id', 'desc')
    .execute();
  return rows.map(transactionOf);
}

export async function findTransaction(work: ReadWork, id: number): Promise<Transaction | undefined> {
  const row = await work.db
    .selectFrom('transactions')
    .selectAll()
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && transactionOf(row);
}

/** Rows in one statement; SQLite binds at most 32,766 values. */
const ROWS_AT_A_TIME = 1_000;

/** Their ids, ascending. */
export async function insertTransactions(
  work: WriteWork,
  records: readonly TransactionRecord[],
): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < records.length; start += ROWS_AT_A_TIME) {
    const rows = await work.db
      .insertInto('transactions')
      .values(
        records.slice(start, start + ROWS_AT_A_TIME).map((record) => ({
          company_id: work.caller.companyId,
          ...columnsOf(record),
          recorded_at: instant.toColumn(work.now),
        })),
      )
      .returning('id')
      .execute();
    ids.push(...rows.map((row) => row.id));
  }
  return ids.sort((a, b) => a - b);
}

export async function updateTransactionRow(
  work: WriteWork,
  id: number,
  record: TransactionRecord,
): Promise<Transaction> {
  const row = await work.db
    .updateTable('transactions')
    .set(columnsOf(record))
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return transactionOf(row);
}
