/**
 * How much a read examines at most, known before it runs: comparing one value of one row takes about 40 ns, so a filter
 * of 100 comparisons on 100,000 rows takes 0.4 s.
 */
import { sql, type RawBuilder } from 'kysely';

import { countsOf, type CounterName } from '../../totals/count.js';
import type { ReadWork } from '../../work.js';
import type { KeyValue } from '../slice.js';

/** Finding and reading a row takes about as long as this many comparisons. */
export const ROW_VALUES = 5;

export interface Examination {
  /** Values that are examined for each row. */
  readonly values: number;
  /** The rows at most: as many as an index leaves, or all that the company has of a table. */
  readonly rows: number | CounterName;
  /** Counts the rows by an index; absent where none bounds them. */
  readonly within?: RowCount;
  /** Whether `within` needs the parents, which are known only when the list is read. */
  readonly isOfParents?: true;
  /** Whether its rows are only counted: they are no entries of the response. */
  readonly isCount?: true;
}

/** SQL for the number of rows, at most `max`. `parents` are those of a list under other records. */
export type RowCount = (work: ReadWork, max: number, parents?: readonly KeyValue[]) => RawBuilder<number>;

/** Number of the rows that a statement finds, at most `max`: no more are read. */
export function countUpTo(max: number, rows: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(select count(*) from (select 1 ${rows} limit ${max}) as found)`;
}

/** The rows of several counts together. */
export function sumOfCounts(counts: readonly RowCount[]): RowCount {
  return (work, max, parents) =>
    counts.reduce((sum, count) => sql<number>`${sum} + ${count(work, max, parents)}`, sql<number>`0`);
}

/** Values that each of some reads examines, by the totals of the company: one statement, none without totals. */
export async function valuesOf(
  work: ReadWork,
  examinations: readonly Examination[],
): Promise<readonly number[]> {
  const names = new Set(examinations.map(({ rows }) => rows).filter((rows) => typeof rows === 'string'));
  const totals = names.size === 0 ? new Map<CounterName, number>() : await countsOf(work, [...names]);
  return examinations.map(
    ({ values, rows }) => values * (typeof rows === 'string' ? (totals.get(rows) ?? 0) : rows),
  );
}

/** Runs several counts in one statement. */
export async function countAll(
  work: ReadWork,
  counts: readonly RawBuilder<number>[],
): Promise<readonly number[]> {
  if (counts.length === 0) return [];
  const columns = counts.map((count, index) => sql`${count} as ${sql.ref(`n${index}`)}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(work.db);
  return counts.map((_count, index) => rows[0]?.[`n${index}`] ?? 0);
}
