/** Records of what retention has deleted, by company and table. */
import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely';

import { systemClock } from '../platform/clock.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { Config } from '../platform/config/config.js';
import type { KeyedHash } from '../platform/hashes.js';
import { inIds } from './bound-lists.js';
import { typed } from './storage.js';
import type { SystemWriteWork } from './work.js';

/** Tables from which retention deletes. */
export type PrunedTable = 'transactions' | 'ledger' | 'notification_deliveries' | 'access_tokens';

/** A row that can be deleted, and the time from which its age is measured, in milliseconds since 1970. */
export interface AgedRow {
  readonly id: number;
  readonly at: number;
}

/** Rows of a company that one transaction deletes, the oldest first. */
export interface OldBatch {
  readonly companyId: number;
  /** Rows from this instant on are kept. */
  readonly before: Date;
  /** Maximum rows to delete. */
  readonly limit: number;
  /** Key that seals the head of a hash chain again. */
  readonly hash: KeyedHash;
}

/** How retention finds and deletes the old rows of a table; declared where the table is used. */
export interface Retained {
  /** Name in settings and metrics. */
  readonly kind: keyof Config['keep'] | 'tokens';
  readonly table: PrunedTable;
  /** Maximum rows that one transaction deletes: other changes run between two transactions. */
  readonly rowsPerUnit: number;
  /** SQL for the time of the oldest row that can be deleted, of company `c`. */
  readonly oldest: RawBuilder<unknown>;
  /** SQL for the times `at` of the rows of a company from before `before` that can be deleted. */
  readonly aged: (companyId: number, before: Date) => RawBuilder<unknown>;
  /** Deletes the oldest rows, in the transaction of the unit. Returns their number. */
  readonly deleteOld: (work: SystemWriteWork, batch: OldBatch) => Promise<number>;
}

/** SQL for the id up to which all rows of company `c` are deleted. */
export function deletedUpTo(table: PrunedTable): RawBuilder<unknown> {
  return sql`coalesce((select p.up_to from prunings as p
    where p.company_id = c.id and p.name = ${sql.lit(table)}), 0)`;
}

/** Rows that one statement deletes; more would block the event loop for too long. */
const ROWS_PER_DELETE = 100;

/** Deletes rows by their ids and records it. Returns their number. */
export async function deleteAged(
  { db, now }: Pick<SystemWriteWork, 'db' | 'now'>,
  companyId: number,
  table: PrunedTable,
  rows: readonly AgedRow[],
): Promise<number> {
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await inParts(rows, ROWS_PER_DELETE, (part) =>
    sql`delete from ${sql.table(table)} where company_id = ${companyId}
      and id ${inIds(part.map(({ id }) => id))}`.execute(db),
  );
  await notePruning(db, companyId, table, { count: rows.length, upTo: 0, newestAt: new Date(last.at), now });
  return rows.length;
}

/** Rows that one transaction has deleted. */
export interface PrunedRows {
  readonly count: number;
  /** Highest deleted id or sequence, for a table that is deleted in this order; otherwise 0. */
  readonly upTo: number;
  /** Time of the newest deleted row. */
  readonly newestAt: Date;
}

/** Id or sequence up to which all rows are deleted; 0 if none were. */
export async function prunedUpTo(
  db: QueryExecutorProvider,
  companyId: number,
  name: PrunedTable,
): Promise<number> {
  const { rows } = await sql<{ up_to: number }>`select up_to from prunings
    where company_id = ${companyId} and name = ${name}`.execute(db);
  return rows[0]?.up_to ?? 0;
}

/** Records a deletion. To be called in its transaction; for the ledger, before its rows are deleted. */
export async function notePruning(
  db: QueryExecutorProvider,
  companyId: number,
  name: PrunedTable,
  { count, upTo, newestAt, now }: PrunedRows & { readonly now: Date },
): Promise<void> {
  await sql`insert into prunings (company_id, name, up_to, total, newest_at, pruned_at)
    values (${companyId}, ${name}, ${upTo}, ${typed('integer', count)}, ${newestAt}, ${now})
    on conflict (company_id, name) do update set up_to = excluded.up_to, total = prunings.total + excluded.total,
      newest_at = excluded.newest_at, pruned_at = excluded.pruned_at`.execute(db);
}

/** Milliseconds after which a statement counts as slow: the next one then has a quarter of the rows. */
const LONG_MS = 15;

/** Calls `remove` with parts of at most `size` rows, the first ones small, and lets other requests run in between. */
export async function inParts<T>(
  rows: readonly T[],
  size: number,
  remove: (part: readonly T[]) => Promise<unknown>,
): Promise<void> {
  let count = Math.ceil(size / 4);
  for (let start = 0; start < rows.length;) {
    if (start > 0) await yieldToEventLoop();
    const begun = systemClock.elapsed();
    await remove(rows.slice(start, start + count));
    start += count;
    const isLong = systemClock.elapsed() - begun > LONG_MS;
    count = isLong ? Math.max(1, Math.floor(count / 4)) : Math.min(size, 2 * count);
  }
}
