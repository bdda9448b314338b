/** The tables and indexes that summaries are made of, and their sums. */
import { sql, type RawBuilder } from 'kysely';

import { indexedBy } from '../../../database/storage.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import type { TimeRange } from '../time-range.model.js';
import { TOTALS_TABLES, type TotalsTable } from '../totals/transaction-totals.model.js';
import type { PaymentOutcome } from '../transaction.model.js';
import type { TimeColumn } from './summary-keys.repository.js';

/** The index from which single transactions are read. */
export type TransactionIndex = 'newest' | 'serial' | 'logical_number';

/** The table or index from which a time range is summed up. `from` and `to` are in its unit: days, hours or ms. */
export interface Source extends TimeRange {
  readonly of: TotalsTable | TransactionIndex;
  /** Of its units only these, or all but these; of transactions, only those in these hours. */
  readonly only?: readonly number[];
  readonly except?: readonly number[];
  /** Its rows belong to their day of UTC, or are taken away from it, in a summary by day. */
  readonly ofUtcDay?: 'part' | 'taken';
}

const OUTCOMES: readonly PaymentOutcome[] = ['approved', 'denied', 'cancelled'];
/** The sums that every source has. */
export const SUMS: readonly string[] = [
  ...['total', 'amount_total'],
  ...OUTCOMES.map((outcome) => `${outcome}_amount`),
];

export interface Form {
  readonly time: TimeColumn;
  readonly table: () => RawBuilder<unknown>;
  /** In the order of `SUMS`. */
  readonly sums: readonly RawBuilder<number>[];
}

const kept = (table: TotalsTable): Form => {
  const isOfDays = /_days?(_totals)?$/.test(table);
  return {
    time: isOfDays ? { name: 't.day', unit: DAY } : { name: 't.hour', unit: HOUR },
    table: () => sql`${sql.table(table)} as t`,
    sums: SUMS.map((name) => sql`coalesce(sum(${sql.ref(`t.${name}`)}), 0)`),
  };
};

const eachTransaction = (index: TransactionIndex): Form => ({
  time: { name: 't.started_at', unit: 1 },
  table: () => indexedBy('transactions', 't', `transactions_${index}`),
  sums: [
    sql`count(*)`,
    sql`coalesce(sum(t.amount), 0)`,
    ...OUTCOMES.map(
      (outcome) =>
        sql<number>`coalesce(sum(case when t.payment_outcome = ${sql.lit(outcome)} then t.amount else 0 end), 0)`,
    ),
  ],
});

const KEPT = new Map(TOTALS_TABLES.map((table) => [table, kept(table)]));
const INDEXES: Readonly<Record<TransactionIndex, Form>> = {
  newest: eachTransaction('newest'),
  serial: eachTransaction('serial'),
  logical_number: eachTransaction('logical_number'),
};

export function formOf(of: Source['of']): Form {
  return KEPT.get(of as TotalsTable) ?? INDEXES[of as TransactionIndex];
}
