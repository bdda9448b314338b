import { sql } from 'kysely';

import { only, specialSql } from '../../../../database/company/company-rows.js';
import type { Condition } from '../../../../database/list/condition.js';
import { hiddenFromPlanner, indexedBy, type Sql } from '../../../../database/storage.js';
import type { ReadWork } from '../../../../database/work.js';
import { MAX_EXAMPLES } from '../../../base/alert/alert.model.js';
import { meeting } from '../transaction.repository.js';
import type { LowApproval, TerminalPayments } from './payment-alert.model.js';

/** Payments of a time by their terminals. */
export interface PaymentPeriod {
  readonly where: Condition;
  readonly from: Date;
  readonly to: Date;
}

/** Values of each terminal that are compared: SQL over the columns of `terminalsIn`. */
export interface Measure {
  readonly value: Sql;
  /** Condition of the terminals that are looked at. */
  readonly counts: Sql;
  readonly isAffected: Sql;
  readonly worstFirst: Sql;
}

/** Compares the percentage of payments that were not denied, for terminals with at least `minPayments`. */
export const byApproval = ({ below, minPayments }: Pick<LowApproval, 'below' | 'minPayments'>): Measure => ({
  value: sql`100.0 * (payments - denied) / payments`,
  counts: sql`payments >= ${minPayments}`,
  isAffected: sql`100 * (payments - denied) < ${below} * payments`,
  worstFirst: sql`1.0 * denied / payments desc`,
});

/** The sum of approved payments, or the largest of them. */
export const byAmount = (column: 'approved_amount' | 'largest', above: number): Measure => ({
  value: sql.ref(column),
  counts: sql`1 = 1`,
  isAffected: sql`${sql.ref(column)} >= ${above}`,
  worstFirst: sql`${sql.ref(column)} desc`,
});

/** Terminals with payments in a time: a range of the index of all transactions, which has all columns that this reads. */
function terminalsIn(work: ReadWork, { where, from, to }: PaymentPeriod): Sql {
  const { companyId } = specialSql(work);
  const approved = sql`case when t.payment_outcome = 'approved' then t.amount else 0 end`;
  return sql`(select t.serial_number, count(*) as payments,
      sum(case when t.payment_outcome = 'denied' then 1 else 0 end) as denied,
      sum(${approved}) as approved_amount, max(${approved}) as largest
    from ${indexedBy('transactions', 't', 'transactions_newest')}
    where t.company_id = ${companyId} and t.started_at >= ${hiddenFromPlanner(from)}
      and t.started_at < ${hiddenFromPlanner(to)} and t.payment_outcome is not null and ${meeting(where)}
    group by t.serial_number) as terminal`;
}

interface Counts {
  readonly total: number;
  readonly affected: number;
}

/** Terminals that are looked at, and affected ones among them. One statement. */
export async function countTerminals(work: ReadWork, of: PaymentPeriod, measure: Measure): Promise<Counts> {
  const { db } = specialSql(work);
  const { rows } = await sql<Counts>`select count(*) as total,
      count(*) filter (where ${measure.isAffected}) as affected
    from ${terminalsIn(work, of)} where ${measure.counts}`.execute(db);
  return only(rows);
}

/** Some of the affected terminals, the worst first. One statement. */
export async function worstTerminals(work: ReadWork, of: PaymentPeriod, measure: Measure) {
  const { db } = specialSql(work);
  const { rows } = await sql<TerminalPayments>`select serial_number as "serialNumber",
      ${measure.value} as value, payments
    from ${terminalsIn(work, of)} where ${measure.counts} and ${measure.isAffected}
    order by ${measure.worstFirst}, serial_number limit ${MAX_EXAMPLES}`.execute(db);
  return rows;
}

/** Devices, as FROM and WHERE, that had a payment since a time, and those among them without one since a later time. */
export interface Unpaid {
  readonly devices: Sql;
  readonly since: Date;
  readonly without: Date;
}

/** Devices with their last payments: an entry of an index for each. */
function lastPayments({ devices, since }: Unpaid): Sql {
  const last = sql`(select p.started_at from ${indexedBy('transactions', 'p', 'transactions_serial')}
    where p.company_id = t.company_id and p.serial_number = t.serial_number
      and p.started_at >= ${hiddenFromPlanner(since)} and p.payment_outcome is not null
    order by p.started_at desc limit 1)`;
  return sql`(select t.serial_number, ${last} as last_at ${devices}) as terminal where last_at is not null`;
}

/** Devices with a payment, and those among them without a later one. One statement. */
export async function countWithout(work: ReadWork, unpaid: Unpaid): Promise<Counts> {
  const { db } = specialSql(work);
  const { rows } = await sql<Counts>`select count(*) as total,
      count(*) filter (where last_at < ${hiddenFromPlanner(unpaid.without)}) as affected
    from ${lastPayments(unpaid)}`.execute(db);
  return only(rows);
}

/** Some devices without a later payment, those with the earliest last one first. One statement. */
export async function longestWithout(work: ReadWork, unpaid: Unpaid) {
  const { db } = specialSql(work);
  const { rows } = await sql<{
    name: string;
    lastAt: number;
  }>`select serial_number as name, last_at as "lastAt"
    from ${lastPayments(unpaid)} and last_at < ${hiddenFromPlanner(unpaid.without)}
    order by last_at, serial_number limit ${MAX_EXAMPLES}`.execute(db);
  return rows;
}
