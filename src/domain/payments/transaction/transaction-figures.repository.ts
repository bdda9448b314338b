import { CompanyRows } from '../../../database/company/company-rows.js';
import { specialSql, type WriteWork } from '../../../database/work.js';
import type { Row } from '../../../schema/schema.js';
import { MAX_KINDS, type TransactionRecord } from './transaction.model.js';

/** Columns that totals are grouped by. Without a value, texts are empty and `installments` is -1. */
type Figures = Pick<
  Row<'transactions'>,
  'payment_status' | 'payment_type' | 'brand' | 'acquirer' | 'installments'
>;

/** Combination of payment type, brand and acquirer in one UTC month. */
type PaymentKind = Omit<Row<'transaction_payment_kinds'>, 'company_id'>;

/** Type, brand and acquirer of all kinds beyond `MAX_KINDS`. */
const OTHER = 'other';

const NO_PAYMENT: Figures = {
  payment_status: '',
  payment_type: '',
  brand: '',
  acquirer: '',
  installments: -1,
};

/** The kind of a transaction's payment; undefined without a payment. */
function kindOf({ parsed, startedAt }: TransactionRecord): PaymentKind | undefined {
  if (parsed === null) return undefined;
  return {
    month: startedAt.getUTCFullYear() * 12 + startedAt.getUTCMonth(),
    payment_type: parsed.type,
    brand: parsed.card?.brand ?? '',
    acquirer: parsed.acquirer ?? '',
  };
}

/** Text that identifies a kind within its month. */
function keyOfKind({ payment_type: type, brand, acquirer }: Omit<PaymentKind, 'month'>): string {
  return JSON.stringify([type, brand, acquirer]);
}

/** Figures of a transaction; `isNamed` says whether its kind has totals of its own. */
function figuresOfRecord(record: TransactionRecord, isNamed: (kind: PaymentKind) => boolean): Figures {
  const kind = kindOf(record);
  if (kind === undefined || record.parsed === null) return NO_PAYMENT;
  const { payment_type: type, brand, acquirer } = kind;
  return {
    payment_status: record.parsed.status,
    ...(isNamed(kind)
      ? { payment_type: type, brand, acquirer }
      : { payment_type: OTHER, brand: OTHER, acquirer: OTHER }),
    installments: record.parsed.installment.quantity ?? NO_PAYMENT.installments,
  };
}

const numbers = new CompanyRows('logical_numbers');
const paymentKinds = new CompanyRows('transaction_payment_kinds');

/**
 * Current group ids of the logical numbers of records, 0 for none, in the order of the records. One
 * statement; the group at the start of each transaction would need one statement per record.
 */
export async function groupsOf(
  work: WriteWork,
  records: readonly TransactionRecord[],
): Promise<readonly number[]> {
  const [first, ...others] = new Set(records.map(({ logicalNumber }) => logicalNumber));
  if (first === undefined) return [];
  const found = await numbers.select(work, { number: others.length === 0 ? first : [first, ...others] });
  const groups = new Map(found.map(({ number, group_id: group }) => [number, group]));
  return records.map(({ logicalNumber }) => groups.get(logicalNumber) ?? 0);
}

/**
 * Function that returns the figures of each of these records. No statement if all kinds of payments are
 * cached, or their months have `MAX_KINDS`; otherwise one, and another one to store new kinds.
 */
export async function figuresOf(
  work: WriteWork,
  records: readonly TransactionRecord[],
): Promise<(record: TransactionRecord) => Figures> {
  const given = records.flatMap((record) => kindOf(record) ?? []);
  const stored = storedIn(work);
  const isNamed = (kind: PaymentKind): boolean => stored.get(kind.month)?.has(keyOfKind(kind)) === true;
  const mayBeNew = (kind: PaymentKind): boolean =>
    !isNamed(kind) && (stored.get(kind.month)?.size ?? 0) < MAX_KINDS;
  const months = [...new Set(given.filter(mayBeNew).map(({ month }) => month))];
  if (months.length > 0) {
    const rows = Map.groupBy(await paymentKinds.select(work, { month: months }), ({ month }) => month);
    for (const month of months) stored.set(month, new Set((rows.get(month) ?? []).map(keyOfKind)));
  }
  const added = new Map<string, PaymentKind>();
  const totals = new Map<number, number>();
  for (const kind of given.filter(mayBeNew)) {
    const total = totals.get(kind.month) ?? stored.get(kind.month)?.size ?? 0;
    const key = `${kind.month} ${keyOfKind(kind)}`;
    if (added.has(key) || total >= MAX_KINDS) continue;
    added.set(key, kind);
    totals.set(kind.month, total + 1);
  }
  if (added.size > 0) await paymentKinds.insert(work, [...added.values()]);
  return (record) =>
    figuresOfRecord(record, (kind) => isNamed(kind) || added.has(`${kind.month} ${keyOfKind(kind)}`));
}

/** Keys of the kinds of a company by month. */
type StoredKinds = Map<number, ReadonlySet<string>>;

/**
 * Cache of stored kinds by database and company: stored kinds are never deleted. A kind whose unit of work
 * failed may be included; its month then has one kind more than the limit.
 */
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
