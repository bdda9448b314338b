/** Counts the entries of lists without pages, before they are read. */
import { sql, type RawBuilder } from 'kysely';

import type { ReadWork } from '../work.js';

/** SQL for the number of entries that the records with these ids have, up to `max`. */
export type EntryCount = (work: ReadWork, max: number, ids: readonly number[]) => RawBuilder<number>;

/** Number of rows that a statement finds, up to `max`; no more are read. */
export function countUpTo(max: number, rows: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(select count(*) from (select 1 ${rows} limit ${max}) as found)`;
}

/** The sum of several counts, each up to `max`. One statement. */
export async function countEntries(
  work: ReadWork,
  counts: readonly EntryCount[],
  max: number,
  ids: readonly number[],
): Promise<number> {
  const numbers = counts.map((count) => count(work, max, ids));
  const { rows } = await sql<{ total: number }>`select ${sql.join(numbers, sql` + `)} as total`.execute(
    work.db,
  );
  return rows[0]?.total ?? 0;
}
