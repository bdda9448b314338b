import { sql, type SqlBool } from 'kysely';

import { pairTable } from '../../../database/bound-lists.js';
import { CompanyRows } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { condition, type Condition, type FilterColumn } from '../../../database/list/condition.js';
import { listOf } from '../../../database/list/list.js';
import { narrowing, withoutAlternatives } from '../../../database/list/request-class.js';
import { crossJoin, instant, hiddenFromPlanner } from '../../../database/storage.js';
import { type ReadWork, specialSql, type WriteWork } from '../../../database/work.js';
import type { Row, Tables, Written } from '../../../schema/schema.js';
import { figuresOf, groupsOf } from './transaction-figures.repository.js';
import { outcomeOf, type Transaction, type TransactionRecord } from './transaction.model.js';

/** Columns that are used only for totals, and the company. */
const HIDDEN = [
  ...(['company_id', 'recorded_at', 'amount', 'payment_outcome', 'group_id'] as const),
  ...(['payment_status', 'payment_type', 'brand', 'acquirer', 'installments'] as const),
] as const;
type Hidden = (typeof HIDDEN)[number];
const mapping = recordMapping<'transactions', Transaction, Hidden>('transactions', HIDDEN);

/** Columns of a transaction record. */
export const SHOWN_COLUMNS: readonly string[] = Object.values(mapping.columns);

export function transactionOf(row: Row<'transactions'>): Transaction {
  const record = mapping.recordOf(row);
  return { ...record, sent: messageOf(record.sent), received: messageOf(record.received) };
}

/** Null for an empty message. */
const messageOf = (column: string | null): string | null => (column === '' ? null : column);

type Own<Table> = Omit<Table, 'id' | Exclude<Hidden, 'amount' | 'payment_outcome'>>;

/** The values of a record's columns. */
function columnsOf(record: TransactionRecord): Own<Written<Tables['transactions']>> {
  return {
    ...(mapping.columnsOf(record) as Own<Written<Tables['transactions']>>),
    amount: record.parsed?.amount ?? null,
    payment_outcome: record.parsed === null ? null : outcomeOf(record.parsed),
  };
}

const COLUMNS = {
  id: { column: 'id', kind: 'id', isUnique: true },
  status: { column: 'status', kind: 'choice', order: 'STARTED_AT' },
  transactionType: { column: 'transaction_type', kind: 'choice' },
  appName: { column: 'app_name', kind: 'text', order: 'STARTED_AT' },
  serialNumber: { column: 'serial_number', kind: 'text', order: 'STARTED_AT', narrows: true },
  logicalNumber: { column: 'logical_number', kind: 'text', order: 'STARTED_AT', narrows: true },
  startedAt: { column: 'started_at', kind: 'instant', narrows: true },
} as const satisfies Readonly<Record<string, FilterColumn>>;

const TEXTS = [...HIDDEN, 'sent', 'received', 'parsed'] as const;
/** Columns that plans read; messages and payments are read as records. */
const { columns: shortColumns } = recordMapping<
  'transactions',
  Omit<Transaction, 'sent' | 'received' | 'parsed'>,
  (typeof TEXTS)[number]
>('transactions', TEXTS);

export const transactionList = listOf<'transactions', Transaction>({
  name: 'Transaction',
  isLarge: true,
  columns: shortColumns,
  table: 'transactions',
  rows: 'transactions',
  isEndless: true,
  id: 'id',
  orders: { ID: 'id', STARTED_AT: 'started_at' },
  filters: COLUMNS,
  recordOf: transactionOf,
});

/** Index of SQLite's primary key. */
export const transactionNewRows = transactionList.newRows('sqlite_autoindex_transactions_1');

/** Transactions refer to a parent by its number or serial number, not by a foreign key. */
export const transactionsOfLogicalNumber = transactionList.of({ column: 'logical_number', isName: true });
export const transactionsOfDevice = transactionList.of({ column: 'serial_number', isName: true });

/**
 * SQL condition on `t`, which is `transactions`, or a table of totals if that table has all of its fields.
 * With `isOfAllTimes`, the indexes of alternatives (`or`) may find the rows; otherwise an interval of time does.
 */
export function meeting(where: Condition, isOfAllTimes = false) {
  const narrow = narrowing(COLUMNS, where);
  if (narrow === undefined) {
    return (isOfAllTimes ? condition : withoutAlternatives)(COLUMNS, where).$castTo<SqlBool>();
  }
  const column = COLUMNS[narrow.field as keyof typeof COLUMNS].column;
  const isIndexed = (name: string): boolean => name === column || name === 'started_at';
  return withoutAlternatives(COLUMNS, where, isIndexed).$castTo<SqlBool>();
}

const rows = new CompanyRows('transactions');

/**
 * Transactions of the company with these keys, in undefined order. References are unique per serial number. One
 * statement.
 */
export async function findTransactionsByKeys(
  work: ReadWork,
  pairs: readonly (readonly [reference: string, serialNumber: string])[],
): Promise<readonly Transaction[]> {
  const { db, companyId } = specialSql(work);
  const { rows: found } = await sql<Row<'transactions'>>`select t.* from ${pairTable('text', pairs, 'text')}
    ${crossJoin} transactions as t on t.reference = pair.id and t.serial_number = pair.other
    where t.company_id = ${hiddenFromPlanner(companyId)} and t.reference is not null`.execute(db);
  return found.map(transactionOf);
}

/** A record in the form in which it is read back after it was stored. */
export function storedForm(record: TransactionRecord): TransactionRecord {
  return transactionOf(columnsOf(record) as unknown as Row<'transactions'>);
}

/** Inserts transactions. Returns their ids ascending, in the order of the records. */
export async function insertTransactions(
  work: WriteWork,
  records: readonly TransactionRecord[],
): Promise<number[]> {
  const recordedAt = instant.toColumn(work.now);
  const groups = await groupsOf(work, records);
  const figures = await figuresOf(work, records);
  const columns = records.map((record, index) => ({
    ...columnsOf(record),
    ...figures(record),
    recorded_at: recordedAt,
    group_id: groups[index] ?? 0,
  }));
  return (await rows.insertReturningIds(work, columns)).sort((a, b) => a - b);
}

/** The columns that change when a running transaction ends. */
const RESULT_COLUMNS = [
  ...(['status', 'detail', 'sent', 'received', 'parsed', 'amount'] as const),
  ...(['payment_outcome', 'finished_at'] as const),
  ...(['payment_status', 'payment_type', 'brand', 'acquirer', 'installments'] as const),
];

/** Stores the results of transactions; the rest of them stays as it is. Returns them by id. */
export async function updateResults(
  work: WriteWork,
  ended: readonly Transaction[],
): Promise<ReadonlyMap<number, Transaction>> {
  const recordedAt = instant.toColumn(work.now);
  // A reference would be there twice while the row is inserted; the group is only needed for that.
  const figures = await figuresOf(work, ended);
  const columns = ended.map((transaction) => ({
    ...columnsOf(transaction),
    ...figures(transaction),
    id: transaction.id,
    reference: null,
    recorded_at: recordedAt,
    group_id: 0,
  }));
  const updated = (await rows.updateEach(work, columns, RESULT_COLUMNS)).map(transactionOf);
  return new Map(updated.map((transaction) => [transaction.id, transaction]));
}
