/** Records of what retention has deleted, by company and table. */
import { sql, type QueryExecutorProvider } from 'kysely';

import { systemClock } from '../platform/clock.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { typed } from './storage.js';

/** Tables from which retention deletes. */
export type PrunedTable = 'transactions' | 'ledger' | 'notification_deliveries' | 'access_tokens';

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

/**
 * Milliseconds after which a statement counts as slow: its rows are long, or the disk is slow. The next one
 * then has a quarter of the rows.
 */
const LONG_MS = 15;

/**
 * Calls `remove` with parts of a list, of at most `size` rows, and lets other requests run in between: on
 * SQLite, a statement blocks the event loop. The first parts are small.
 */
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
