import { sql, type RawBuilder } from 'kysely';

import { inList } from '../../../database/bound-lists.js';
import { CompanyRows } from '../../../database/company/company-rows.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { runCached } from '../../../database/statements.js';
import { crossJoin, typed } from '../../../database/storage.js';
import type { WriteWork } from '../../../database/work.js';
import {
  admittedKinds,
  figuresOfRecord,
  keyOfKind,
  kindOf,
  MAX_KINDS,
  type Figures,
  type PaymentKind,
} from './transaction-figures.model.js';
import type { TransactionRecord } from './transaction.model.js';

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
 * cached; otherwise one, and two more to store new kinds.
 */
export async function figuresOf(
  work: WriteWork,
  records: readonly TransactionRecord[],
): Promise<(record: TransactionRecord) => Figures> {
  const kinds = new Map<string, PaymentKind>();
  for (const record of records) {
    const kind = kindOf(record);
    if (kind !== undefined) kinds.set(keyOfKind(kind), kind);
  }
  const remembered = rememberedIn(work);
  const named = new Set([...kinds.keys()].filter((key) => remembered.has(key)));
  for (const kind of await storedKinds(work, without(kinds, named))) {
    named.add(keyOfKind(kind));
    remembered.add(keyOfKind(kind));
  }
  const unknown = without(kinds, named);
  for (const kind of await addKinds(work, unknown)) named.add(keyOfKind(kind));
  return (record) => figuresOfRecord(record, (kind) => named.has(keyOfKind(kind)));
}

const without = (kinds: ReadonlyMap<string, PaymentKind>, keys: ReadonlySet<string>): PaymentKind[] =>
  [...kinds].flatMap(([key, kind]) => (keys.has(key) ? [] : [kind]));

/**
 * Cache of stored kinds by database and company: stored kinds are never deleted. A kind whose unit of work
 * failed may be included; its month then has one kind more than the limit.
 */
const found = new WeakMap<object, Map<number, Set<string>>>();
const MAX_COMPANIES = 200;
const MAX_REMEMBERED = 2 * MAX_KINDS;

function rememberedIn(work: WriteWork): Set<string> {
  const { db, companyId } = specialSql(work);
  const { adapter } = db.getExecutor();
  const companies = found.get(adapter) ?? new Map<number, Set<string>>();
  found.set(adapter, companies);
  const known = companies.get(companyId);
  if (known !== undefined && known.size < MAX_REMEMBERED) return known;
  if (companies.size >= MAX_COMPANIES) companies.clear();
  const made = new Set<string>();
  companies.set(companyId, made);
  return made;
}

async function storedKinds(work: WriteWork, kinds: readonly PaymentKind[]): Promise<readonly PaymentKind[]> {
  if (kinds.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const build = (): RawBuilder<PaymentKind> => sql<PaymentKind>`
    with given (month, payment_type, brand, acquirer) as (values ${sql.join(kinds.map(asRow))})
    select k.month, k.payment_type, k.brand, k.acquirer
    from given ${crossJoin} transaction_payment_kinds as k
      on k.company_id = ${companyId} and k.month = given.month and k.payment_type = given.payment_type
      and k.brand = given.brand and k.acquirer = given.acquirer`;
  const values = kinds.flatMap(({ month, payment_type: type, brand, acquirer }) => [
    month,
    type,
    brand,
    acquirer,
  ]);
  if (kinds.length > MAX_CACHED) return (await build().execute(db)).rows;
  return await runCached(db, `${kinds.length} kinds of payments`, [...values, companyId], build);
}

/** Maximum kinds of a statement that is compiled once and cached. */
const MAX_CACHED = 20;

function asRow({ month, payment_type: type, brand, acquirer }: PaymentKind): RawBuilder<unknown> {
  const texts = [type, brand, acquirer].map((text) => typed('text', text));
  return sql`(${typed('integer', month)}, ${sql.join(texts)})`;
}

/** Stores new kinds up to the limit of their months, and returns those that were stored. */
async function addKinds(work: WriteWork, kinds: readonly PaymentKind[]): Promise<readonly PaymentKind[]> {
  if (kinds.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const months = [...new Set(kinds.map(({ month }) => month))];
  const { rows } = await sql<{ month: number; total: number }>`select month, count(*) as total
    from transaction_payment_kinds where company_id = ${companyId} and month ${inList('integer', months)}
    group by month`.execute(db);
  const admitted = admittedKinds(kinds, new Map(rows.map(({ month, total }) => [month, total])));
  if (admitted.length > 0) await paymentKinds.insert(work, admitted);
  return admitted;
}
