/** Records of what retention has deleted, by company and table. */
import { sql, type QueryExecutorProvider } from 'kysely';

import { inParts } from '../platform/concurrency/event-loop.js';
import type { Config } from '../platform/config/config.js';
import type { KeyedHash } from '../platform/hashes.js';
import { inIds, typed, type Sql } from './storage.js';
import type { SystemWriteWork } from './work.js';

export type PrunedTable =
  | 'transactions'
  | 'ledger'
  | 'notification_deliveries'
  | 'device_logs'
  | 'access_tokens'
  | 'jobs'
  | 'alerts';

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
  readonly limit: number;
  /** Key that seals the head of a hash chain again. */
  readonly hash: KeyedHash;
}

/** How retention finds and deletes the old rows of a table; declared where the table is used. */
export interface Retained {
  /** Name in settings and metrics. */
  readonly kind: keyof Config['keep'] | 'tokens' | 'jobs' | 'alerts';
  readonly table: PrunedTable;
  /** Maximum rows that one transaction deletes: other changes run between two transactions. */
  readonly rowsPerUnit: number;
  /** SQL for the time of the oldest row that can be deleted, of company `c`. */
  readonly oldest: Sql;
  /** SQL for the times `at` of the rows of a company from before `before` that can be deleted. */
  readonly aged: (companyId: number, before: Date) => Sql;
  /** Deletes the oldest rows, in the transaction of the unit. Returns their number. */
  readonly deleteOld: (work: SystemWriteWork, batch: OldBatch) => Promise<number>;
}

/** SQL for the id up to which all rows of company `c` are deleted. */
export function deletedUpTo(table: PrunedTable): Sql {
  return sql`coalesce((select p.up_to from prunings as p
    where p.company_id = c.id and p.name = ${sql.lit(table)}), 0)`;
}

/** Rows per DELETE: long rows, or a slow disk, would otherwise hold the event loop for too long. */
export const ROWS_PER_DELETE = 25;

/** Deletes rows by their ids and records it. Returns their number. */
export async function deleteAged(
  { db, now }: Pick<SystemWriteWork, 'db' | 'now'>,
  companyId: number,
  table: PrunedTable,
  rows: readonly AgedRow[],
): Promise<number> {
  const last = rows.at(-1);
  if (last === undefined) return 0;
  for await (const part of inParts(rows, ROWS_PER_DELETE)) {
    const ids = part.map(({ id }) => id);
    await sql`delete from ${sql.table(table)} where company_id = ${companyId} and id ${inIds(ids)}`.execute(
      db,
    );
  }
  await notePruning(db, companyId, table, { count: rows.length, upTo: 0, newestAt: new Date(last.at), now });
  return rows.length;
}

/** Retention of rows by the time in a column; `where` is the condition of the index that has it. */
export function retainedBy(
  column: string,
  where: string,
  own: Pick<Retained, 'kind' | 'table' | 'rowsPerUnit'>,
): Retained {
  const at = sql.ref(column);
  const rowsOf = (company: Sql) =>
    sql`from ${sql.table(own.table)} where company_id = ${company} and ${sql.raw(where)}`;
  return {
    ...own,
    oldest: sql`select ${at} ${rowsOf(sql.ref('c.id'))} order by ${at} limit 1`,
    aged: (companyId, before) => sql`select ${at} as at ${rowsOf(sql`${companyId}`)} and ${at} < ${before}`,
    deleteOld: async (work, { companyId, before, limit }) => {
      const { rows } = await sql<AgedRow>`select id, ${at} as at ${rowsOf(sql`${companyId}`)}
        and ${at} < ${before} order by ${at} limit ${limit}`.execute(work.db);
      return await deleteAged(work, companyId, own.table, rows);
    },
  };
}

/** Id or sequence up to which all rows are deleted; 0 if none were. */
export async function prunedUpTo(db: QueryExecutorProvider, companyId: number, name: PrunedTable) {
  const { rows } = await sql<{ up_to: number }>`select up_to from prunings
    where company_id = ${companyId} and name = ${name}`.execute(db);
  return rows[0]?.up_to ?? 0;
}

/** Records a deletion in its transaction, of the ledger before its rows; `upTo` is 0 for tables without an order. */
export async function notePruning(
  db: QueryExecutorProvider,
  companyId: number,
  name: PrunedTable,
  {
    count,
    upTo,
    newestAt,
    now,
  }: Readonly<Record<'count' | 'upTo', number> & Record<'newestAt' | 'now', Date>>,
): Promise<void> {
  await sql`insert into prunings (company_id, name, up_to, total, newest_at, pruned_at)
    values (${companyId}, ${name}, ${upTo}, ${typed('integer', count)}, ${newestAt}, ${now})
    on conflict (company_id, name) do update set up_to = excluded.up_to, total = prunings.total + excluded.total,
      newest_at = excluded.newest_at, pruned_at = excluded.pruned_at`.execute(db);
}
