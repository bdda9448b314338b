import type { SqlBool } from 'kysely';

import { condition, type Condition, type FilterColumn } from '../../database/list/condition.js';
import { listOf } from '../../database/list/list.js';
import { instant, json, nullable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { TimeRange } from './time-range.model.js';
import type {
  ParsedPayment,
  Transaction,
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
    sent: messageOf(row.sent),
    received: messageOf(row.received),
    parsed: payment.fromColumn(row.parsed),
    startedAt: instant.fromColumn(row.started_at),
    finishedAt: time.fromColumn(row.finished_at),
  };
}

/** An empty message is none. */
function messageOf(column: string | null): string | null {
  return column === '' ? null : column;
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

type Columns = Readonly<Record<string, FilterColumn>>;

/** What the daily and hourly totals distinguish. */
const KIND_COLUMNS = {
  status: { column: 'status', kind: 'choice' },
  transactionType: { column: 'transaction_type', kind: 'choice' },
  appName: { column: 'app_name', kind: 'text' },
} as const satisfies Columns;

const COLUMNS = {
  id: { column: 'id', kind: 'id' },
  ...KIND_COLUMNS,
  serialNumber: { column: 'serial_number', kind: 'text' },
  logicalNumber: { column: 'logical_number', kind: 'text' },
  startedAt: { column: 'started_at', kind: 'instant' },
} as const satisfies Columns;

export const transactionList = listOf<'transactions', Transaction>({
  name: 'Transaction',
  isLarge: true,
  table: 'transactions',
  id: 'id',
  orders: { ID: 'id', STARTED_AT: 'started_at' },
  filters: COLUMNS,
  recordOf: transactionOf,
});

/** By the index of the constraint that no id is of two companies. */
export const transactionArrivals = transactionList.arrivals('sqlite_autoindex_transactions_1');

/** Transactions keep texts of their time, no links: their parents go by number and serial number. */
export const transactionsOfLogicalNumber = transactionList.of<string>({ column: 'logical_number' });
export const transactionsOfDevice = transactionList.of<string>({ column: 'serial_number' });

/** As SQL over the table `t`: of transactions, or of their totals where only kinds are compared. */
export function meeting(where: Condition) {
  return condition(COLUMNS, where).$castTo<SqlBool>();
}

export const KIND_FIELDS: readonly string[] = Object.keys(KIND_COLUMNS);

/** Those of a stretch of time that meet a condition; an index holds every column named here. */
function matching(work: ReadWork, where: Condition, { from, to }: TimeRange) {
  return work.db
    .selectFrom('transactions as t')
    .where('t.company_id', '=', work.caller.companyId)
    .where('t.started_at', '>=', from)
    .where('t.started_at', '<', to)
    .where(meeting(where));
}

/** Counts one by one, in an index. */
export async function countTransactions(
  work: ReadWork,
  where: Condition,
  within: TimeRange,
): Promise<number> {
  const { total } = await matching(work, where, within)
    .select((column) => column.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The totals that the database keeps for each day, newest first; `where` compares kinds only. */
export async function countTransactionsByDay(
  work: ReadWork,
  where: Condition,
  days: TimeRange,
): Promise<{ day: number; total: number }[]> {
  return await work.db
    .selectFrom('transaction_days as t')
    .select((column) => ['t.day', column.fn.sum<number>('t.total').as('total')])
    .where('t.company_id', '=', work.caller.companyId)
    .where('t.day', '>=', days.from)
    .where('t.day', '<', days.to)
    .where(meeting(where))
    .groupBy('t.day')
    .orderBy('t.day', 'desc')
    .execute();
}

/** Newest first. What is skipped is skipped in an index; only the rows of the answer are read. */
export async function selectTransactions(
  work: ReadWork,
  where: Condition,
  place: TimeRange & { readonly skip: number; readonly limit: number },
): Promise<Transaction[]> {
  const ids = matching(work, where, place)
    .select('t.id')
    .orderBy('t.started_at', 'desc')
    .orderBy('t.id', 'desc')
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
