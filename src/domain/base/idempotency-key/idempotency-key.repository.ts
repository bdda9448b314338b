import { sql } from 'kysely';

import { specialSql, type SystemWriteWork } from '../../../database/work.js';

/**
 * Deletes about `limit` responses that were stored before `before`, oldest first; returns whether more exist.
 */
export async function deleteResponsesBefore(
  work: SystemWriteWork,
  before: Date,
  limit: number,
): Promise<boolean> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ at: number }>`select created_at as at from idempotency_keys
    where created_at < ${before} order by created_at limit 1 offset ${limit}`.execute(db);
  const [next] = rows;
  // All responses of the same millisecond go together, so that each call makes progress.
  const end = next === undefined ? before : new Date(next.at + 1);
  await sql`delete from idempotency_keys where created_at < ${end}`.execute(db);
  return next !== undefined;
}
