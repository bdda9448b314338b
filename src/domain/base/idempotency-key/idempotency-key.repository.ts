import { CompanyRows } from '../../../database/company/company-rows.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { comparedInstant, instant } from '../../../database/storage.js';
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
  const next = await db
    .selectFrom('idempotency_keys')
    .select('created_at')
    .where('created_at', '<', comparedInstant(before))
    .orderBy('created_at')
    .offset(limit)
    .limit(1)
    .executeTakeFirst();
  await db
    .deleteFrom('idempotency_keys')
    // All responses of the same millisecond go together, so that each call makes progress.
    .where('created_at', '<', comparedInstant(next === undefined ? before : new Date(next.created_at + 1)))
    .execute();
  return next !== undefined;
}
