/** Tables and indexes that a summary reads, and the sums over them. */
import { sql, type RawBuilder } from 'kysely';

import { indexedBy } from '../../../../database/storage.js';
import { HOUR, UNIT_PARTS } from '../../../../platform/clock.js';
import { UNIT_MS } from '../../../../schema/rollups.js';
import type { TimeRange } from '../time-range.model.js';
import type { TotalsTable } from '../totals/transaction-totals.model.js';
import type { PaymentOutcome } from '../transaction.model.js';
import type { TimeColumn } from './summary-keys.repository.js';

/** Index for reading single transactions. */
export type TransactionIndex = 'newest' | 'serial' | 'logical_number';

/**
 * Table or index that a summary reads for a time range. `from` and `to` are in its unit: days, hours or ms.
 */
export interface Source extends TimeRange {
  readonly of: TotalsTable | TransactionIndex;
  /** Units of the range to read (`only`) or to skip (`except`). For transactions, `only` contains hours. */
  readonly only?: readonly number[];
  readonly except?: readonly number[];
  /** Part of each day or hour whose totals are read, in milliseconds from its beginning. */
  readonly part?: TimeRange;
  /** Whether the hours are subtracted from the bucket that contains the middle of their half day. */
  readonly isTaken?: true;
}

const OUTCOMES: readonly PaymentOutcome[] = ['approved', 'denied', 'cancelled'];
/** Names of the sums of every source. */
export const SUMS: readonly string[] = [
  ...['total', 'amount_total'],
  ...OUTCOMES.map((outcome) => `${outcome}_amount`),
];

export interface Form {
  readonly time: TimeColumn;
  readonly table: () => RawBuilder<unknown>;
  /** SQL of the sums, in the order of `SUMS`. */
  readonly sums: readonly RawBuilder<number>[];
}

function ofTotals(table: TotalsTable, { part, isTaken }: Source): Form {
  const unit = /_days?(_totals)?$/.test(table) ? 'day' : 'hour';
  const { from, to } = part ?? { from: 0, to: UNIT_MS[unit] };
  const time = {
    name: `t.${unit}`,
    unit: UNIT_MS[unit],
    after: isTaken === true ? 0 : from,
    isOfHalfDay: isTaken === true,
  };
  const since = (name: string, at: number): RawBuilder<number> => {
    const suffix = UNIT_PARTS[unit].find((each) => each.from === at)?.name;
    return sql.ref(`t.${suffix === undefined ? name : `${name}_${suffix}`}`);
  };
  return {
    // Days and half days belong to the bucket that contains the middle of a half.
    time: unit === 'day' ? { ...time, after: from + 6 * HOUR } : time,
    table: () => sql`${sql.table(table)} as t`,
    sums: SUMS.map((name) => {
      const value = to === UNIT_MS[unit] ? since(name, from) : sql`${since(name, from)} - ${since(name, to)}`;
      return sql`coalesce(sum(${value}), 0)`;
    }),
  };
}

const eachTransaction = (index: TransactionIndex): Form => ({
  time: { name: 't.started_at', unit: 1, after: 0, isOfHalfDay: false },
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

const INDEXES: ReadonlyMap<Source['of'], Form> = new Map(
  (['newest', 'serial', 'logical_number'] as const).map((index) => [index, eachTransaction(index)]),
);

export function formOf(source: Source): Form {
  return INDEXES.get(source.of) ?? ofTotals(source.of as TotalsTable, source);
}
