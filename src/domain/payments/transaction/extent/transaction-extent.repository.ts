import { sql, type RawBuilder } from 'kysely';

import { specialSql } from '../../../../database/company/special-sql.js';
import { runCached } from '../../../../database/statements.js';
import { instant, hiddenFromPlanner } from '../../../../database/storage.js';
import { MANY_ROWS, type ReadWork } from '../../../../database/work.js';
import type { TimeRange } from '../time-range.model.js';
import type { PeriodPart, TotalsPart } from '../totals/transaction-totals.model.js';

/**
 * Rows that a list may examine: those of a table within a period, or those with one value of a column whose
 * index is ordered by time.
 */
export interface Extent extends PeriodPart {
  readonly table: TotalsPart['table'];
  readonly only?: {
    readonly column: 'serial_number' | 'logical_number' | 'app_name' | 'status';
    readonly value: string;
  };
  /** Maximum rows per day or hour of the table; undefined if there is no maximum. */
  readonly mostOfUnit?: number;
}

/** Transactions of a time range. */
export const transactionsIn = ({ from, to }: TimeRange, only?: Extent['only']): Extent => ({
  ...{ table: 'transactions', of: 'instant', from, to },
  ...(only === undefined ? {} : { only }),
});

/** Whether an extent has more than `most` rows. Examines at most this number in each. One statement. */
export async function hasManyRows(
  work: ReadWork,
  extents: readonly Extent[],
  most = MANY_ROWS,
): Promise<boolean> {
  if (extents.length === 0) return false;
  const { db, companyId } = specialSql(work);
  const values = ({ of, from, to, only }: Extent): readonly unknown[] => [
    ...(only === undefined ? [] : [only.value]),
    ...[from, to].map((at) => (of === 'instant' ? instant.toColumn(new Date(at)) : at)),
  ];
  const shape = extents
    .map(({ table, only, mostOfUnit }) => `${table} ${only?.column ?? ''} ${mostOfUnit ?? ''}`)
    .join('|');
  const parameters = extents.flatMap((extent) => {
    const found = [companyId, ...values(extent)];
    const units = unitsOf(extent, most);
    return units === undefined ? [...found, most] : [...found, ...found, ...found, units, most];
  });
  const rows = await runCached(db, `transactions many|${shape}`, parameters, () => {
    const parts = extents.map((extent) => oneAfterMany(companyId, extent, values(extent), most));
    return sql`${sql.join(parts, sql` union all `)}`;
  });
  return rows.length > 0;
}

/**
 * SQL with one row if an extent has more rows than `most`. `bound` contains the value of its column, if it
 * has one, and its range.
 */
function oneAfterMany(
  companyId: number,
  { table, of, only, mostOfUnit }: Extent,
  bound: readonly unknown[],
  most: number,
): RawBuilder<unknown> {
  const [value, from, to] = [bound[0], bound.at(-2), bound.at(-1)].map(hiddenFromPlanner);
  const time = sql.ref(of === 'instant' ? 'started_at' : of);
  const ofOne = only === undefined ? sql`` : sql`and ${sql.ref(only.column)} = ${value}`;
  const found = sql`${sql.table(table)} where company_id = ${hiddenFromPlanner(companyId)} ${ofOne}
    and ${time} >= ${from} and ${time} < ${to}`;
  const units = unitsOf({ mostOfUnit }, most);
  const limit =
    units === undefined
      ? sql`1`
      : sql`(case when (select max(${time}) from ${found}) - (select min(${time}) from ${found})
          >= ${hiddenFromPlanner(units)} then 1 else 0 end)`;
  return sql`select 1 from (select 1 from ${found} limit ${limit} offset ${hiddenFromPlanner(most)}) as many`;
}

/**
 * Number of days or hours that have at most `most` rows in any case: if the first and the last row are
 * closer, the rows need not be counted. Undefined if there is no maximum per unit.
 */
function unitsOf(
  { mostOfUnit }: { readonly mostOfUnit?: number | undefined },
  most: number,
): number | undefined {
  return mostOfUnit === undefined ? undefined : Math.floor(most / mostOfUnit);
}
