import { sql, type SqlBool } from 'kysely';

import { CompanyRows, excluded, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import {
  condition,
  type Comparison,
  type Condition,
  type FilterColumn,
} from '../../../database/list/condition.js';
import { listOf, RECORD_ID } from '../../../database/list/list.js';
import { narrowing, withoutAlternatives } from '../../../database/list/request-class.js';
import { pairTable, crossJoin, instant, hiddenFromPlanner, type Sql } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Row, Tables, Written } from '../../../schema/schema.js';
import {
  MAX_KINDS,
  type NewTransaction,
  outcomeOf,
  type Transaction,
  type TransactionRecord,
} from './transaction.model.js';

const NO_PAYMENT = { payment_status: '', payment_type: '', brand: '', acquirer: '', installments: -1 };
type Figures = typeof NO_PAYMENT;

const textOrNull = (text: string | null | undefined): string | null => (text === '' ? null : (text ?? null));

/** Columns that follow from `parsed` alone. */
const paidOf = (parsed: TransactionRecord['parsed']) => ({
  amount: parsed?.amount ?? -1,
  payment_outcome: parsed === null ? null : outcomeOf(parsed),
  payment_method: textOrNull(parsed?.paymentMethod),
  capture_method: textOrNull(parsed?.captureMethod),
  status_reason: textOrNull(parsed?.statusReason),
  nsu: textOrNull(parsed?.nsu),
  authorization_code: textOrNull(parsed?.authorizationCode),
  last_digits: textOrNull(parsed?.card?.lastDigits),
});
const PAID = Object.keys(paidOf(null)) as (keyof ReturnType<typeof paidOf>)[];
const PAYMENT = [...PAID, ...(Object.keys(NO_PAYMENT) as (keyof Figures)[])];

/** Columns that are used only for totals and filters, and the company. */
const HIDDEN = ['company_id', 'recorded_at', 'group_id', ...PAYMENT] as const;
type Hidden = (typeof HIDDEN)[number];
const mapping = recordMapping<'transactions', Transaction, Hidden>('transactions', HIDDEN);

export const SHOWN_COLUMNS: readonly string[] = Object.values(mapping.columns);

export function transactionOf(row: Row<'transactions'>): Transaction {
  const record = mapping.recordOf(row);
  return { ...record, sent: messageOf(record.sent), received: messageOf(record.received) };
}

const messageOf = (column: string | null): string | null => (column === '' ? null : column);

type Own<Table> = Omit<Table, 'id' | Exclude<Hidden, (typeof PAID)[number]>>;

function columnsOf(record: NewTransaction): Own<Written<Tables['transactions']>> {
  return {
    ...(mapping.columnsOf(record) as Own<Written<Tables['transactions']>>),
    ...paidOf(record.parsed),
  };
}

/** A column whose rows without a value have `none`. */
const optional = (column: string, kind: FilterColumn['kind'], none: string | number) => ({
  column,
  kind,
  where: (compared: (value: Sql) => Sql) =>
    compared(sql`nullif(${sql.ref(`t.${column}`)}, ${sql.lit(none)})`),
});

/** A comparison of the amount, which transactions without a payment do not have. */
function meaningOfAmount({ field, operator, value }: Comparison): Condition {
  const isAmount = { field, operator: 'gte', value: 0 } as const;
  if (operator === 'isNull') return value === true ? { not: isAmount } : isAmount;
  if (operator === 'in') return { field, operator, value: (value as number[]).filter((each) => each >= 0) };
  if (operator === 'lt') return { and: [isAmount, { field, operator, value }] };
  if (operator === 'gte') return { field, operator, value: Math.max(Number(value), 0) };
  return Number(value) < 0 ? { or: [] } : { field, operator, value };
}

const COLUMNS = {
  id: { column: 'id', kind: 'id', isUnique: true },
  [RECORD_ID]: { column: 'id', kind: 'id' },
  status: { column: 'status', kind: 'choice', order: 'STARTED_AT' },
  transactionType: { column: 'transaction_type', kind: 'choice' },
  appName: { column: 'app_name', kind: 'text', order: 'STARTED_AT' },
  serialNumber: { column: 'serial_number', kind: 'text', order: 'STARTED_AT', narrows: true },
  logicalNumber: { column: 'logical_number', kind: 'text', order: 'STARTED_AT', narrows: true },
  startedAt: { column: 'started_at', kind: 'instant', narrows: true },
  reference: { column: 'reference', kind: 'text', narrows: true },
  numberAtStart: { column: 'number_at_start', kind: 'text' },
  nsu: { column: 'nsu', kind: 'text', order: 'STARTED_AT', narrows: true },
  authorizationCode: { column: 'authorization_code', kind: 'text', order: 'STARTED_AT', narrows: true },
  lastDigits: { column: 'last_digits', kind: 'text', order: 'STARTED_AT', narrows: true },
  amount: { column: 'amount', kind: 'amount', order: 'ID', meaning: meaningOfAmount },
  groupId: optional('group_id', 'id', 0),
  groupDatabaseId: optional('group_id', 'integer', 0),
  paymentStatus: optional('payment_status', 'optionalChoice', ''),
  paymentType: optional('payment_type', 'text', ''),
  brand: optional('brand', 'text', ''),
  acquirer: optional('acquirer', 'text', ''),
  installments: optional('installments', 'integer', -1),
  paymentMethod: { column: 'payment_method', kind: 'text' },
  captureMethod: { column: 'capture_method', kind: 'text' },
  statusReason: { column: 'status_reason', kind: 'text' },
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
  orders: { ID: 'id', STARTED_AT: 'started_at', AMOUNT: 'amount' },
  filters: COLUMNS,
  others: { recordedAt: 'recorded_at' },
  recordOf: transactionOf,
});

const recordings = transactionList.only(['id', 'recorded_at']);

/** When transactions were recorded, by id. One statement. */
export async function recordedTimes(work: ReadWork, of: readonly Pick<Transaction, 'id'>[]) {
  const rows = await recordings.byIds(
    work,
    of.map(({ id }) => id),
  );
  return new Map([...rows].map(([id, row]) => [id, instant.fromColumn(row.recorded_at as number)]));
}

/** Index of SQLite's primary key. */
export const transactionNewRows = transactionList.newRows('sqlite_autoindex_transactions_1');

/** Transactions refer to a parent by its number or serial number, not by a foreign key. */
export const transactionsOfLogicalNumber = transactionList.of({ column: 'logical_number', isName: true });
export const transactionsOfDevice = transactionList.of({ column: 'serial_number', isName: true });

/** SQL condition on `t`, transactions or totals. With `isOfAllTimes`, the indexes of alternatives may find the rows. */
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

/** Transactions with these keys, in undefined order. References are unique per serial number. One statement. */
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
export function storedForm(record: NewTransaction): NewTransaction {
  return transactionOf(columnsOf(record) as unknown as Row<'transactions'>);
}

/** Inserts transactions. Returns their ids ascending, in the order of the records. */
export async function insertTransactions(work: WriteWork, records: readonly NewTransaction[]) {
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
const RESULT_COLUMNS = ['status', 'detail', 'sent', 'received', 'parsed', 'finished_at', ...PAYMENT] as const;

/** Stores the results of transactions; the rest of them stays as it is. Returns them by id. */
export async function updateResults(work: WriteWork, ended: readonly Transaction[]) {
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
  // Each row conflicts with its own earlier state: an INSERT knows the types of the values.
  const onConflict = { key: ['id'], changes: excluded(RESULT_COLUMNS) };
  const updated = (await rows.insertReturning(work, columns, onConflict)).map(transactionOf);
  return new Map(updated.map((transaction) => [transaction.id, transaction]));
}

type PaymentKind = Omit<Row<'transaction_payment_kinds'>, 'company_id'>;

/** Type, brand and acquirer of all kinds beyond `MAX_KINDS`. */
const OTHER = { payment_type: 'other', brand: 'other', acquirer: 'other' };

function kindOf({ parsed, startedAt }: TransactionRecord): PaymentKind | undefined {
  if (parsed === null) return undefined;
  return {
    month: startedAt.getUTCFullYear() * 12 + startedAt.getUTCMonth(),
    payment_type: parsed.type,
    brand: parsed.card?.brand ?? '',
    acquirer: parsed.acquirer ?? '',
  };
}

const keyOf = ({ payment_type: type, brand, acquirer }: PaymentKind): string =>
  JSON.stringify([type, brand, acquirer]);

const numbers = new CompanyRows('logical_numbers');
const paymentKinds = new CompanyRows('transaction_payment_kinds');

/** Group ids of the records' numbers now, 0 for none. One statement; the groups at their start would take one per record. */
async function groupsOf(work: WriteWork, records: readonly TransactionRecord[]): Promise<readonly number[]> {
  const [first, ...others] = new Set(records.map(({ logicalNumber }) => logicalNumber));
  if (first === undefined) return [];
  const found = await numbers.select(work, { number: others.length === 0 ? first : [first, ...others] });
  const groups = new Map(found.map(({ number, group_id: group }) => [number, group]));
  return records.map(({ logicalNumber }) => groups.get(logicalNumber) ?? 0);
}

/** Figures of each record. No statement if all kinds are cached or their months are full, otherwise two at most. */
async function figuresOf(work: WriteWork, records: readonly TransactionRecord[]) {
  const given = records.flatMap((record) => kindOf(record) ?? []);
  const stored = storedIn(work);
  const isNamed = (kind: PaymentKind): boolean => stored.get(kind.month)?.has(keyOf(kind)) === true;
  const isNew = (kind: PaymentKind): boolean =>
    !isNamed(kind) && (stored.get(kind.month)?.size ?? 0) < MAX_KINDS;
  const months = [...new Set(given.filter(isNew).map(({ month }) => month))];
  if (months.length > 0) {
    const rows = Map.groupBy(await paymentKinds.select(work, { month: months }), ({ month }) => month);
    for (const month of months) stored.set(month, new Set((rows.get(month) ?? []).map(keyOf)));
  }
  const added: PaymentKind[] = [];
  for (const kind of given) {
    if (!isNew(kind)) continue;
    stored.get(kind.month)?.add(keyOf(kind));
    added.push(kind);
  }
  if (added.length > 0) await paymentKinds.insert(work, added);
  return (record: TransactionRecord): Figures => {
    const kind = kindOf(record);
    if (kind === undefined || record.parsed === null) return NO_PAYMENT;
    const { payment_type: type, brand, acquirer } = kind;
    return {
      payment_status: record.parsed.status,
      ...(isNamed(kind) ? { payment_type: type, brand, acquirer } : OTHER),
      installments: record.parsed.installment.quantity ?? NO_PAYMENT.installments,
    };
  };
}

type StoredKinds = Map<number, Set<string>>;

/** Stored kinds by database and company. One of a failed unit may be included: its month then has one more than the limit. */
const caches = new WeakMap<object, Map<number, StoredKinds>>();
const MAX_COMPANIES = 200;
const MAX_MONTHS = 12;

function storedIn(work: WriteWork): StoredKinds {
  const { db, companyId } = specialSql(work);
  const { adapter } = db.getExecutor();
  const companies = caches.get(adapter) ?? new Map<number, StoredKinds>();
  caches.set(adapter, companies);
  const known = companies.get(companyId);
  if (known !== undefined && known.size <= MAX_MONTHS) return known;
  if (companies.size >= MAX_COMPANIES) companies.clear();
  const made: StoredKinds = new Map();
  companies.set(companyId, made);
  return made;
}
