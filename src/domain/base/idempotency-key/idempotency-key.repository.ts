import { sql } from 'kysely';

import { CompanyRows } from '../../../database/company/company-rows.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { instant } from '../../../database/storage.js';
import type { SystemWriteWork, WriteWork } from '../../../database/work.js';
import type { Tables, Written } from '../../../schema/schema.js';

export const responses = new CompanyRows('idempotency_keys');

export async function insertResponse(
  work: WriteWork,
  row: Omit<Written<Tables['idempotency_keys']>, 'company_id' | 'created_at'>,
): Promise<void> {
  await responses.insert(work, [{ ...row, created_at: instant.toColumn(work.now) }]);
}

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
