import { instant } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { SystemWriteWork, WriteWork } from '../../database/work.js';

export interface KeyOf {
  readonly scope: string;
  readonly key: string;
}

export async function findKept(work: WriteWork, of: KeyOf): Promise<Row<'idempotency_keys'> | undefined> {
  return await work.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('company_id', '=', work.caller.companyId)
    .where('scope', '=', of.scope)
    .where('key', '=', of.key)
    .executeTakeFirst();
}

export async function deleteKept(work: WriteWork, of: KeyOf): Promise<void> {
  await work.db
    .deleteFrom('idempotency_keys')
    .where('company_id', '=', work.caller.companyId)
    .where('scope', '=', of.scope)
    .where('key', '=', of.key)
    .execute();
}

export async function insertKept(
  work: WriteWork,
  row: Omit<Row<'idempotency_keys'>, 'company_id' | 'created_at'>,
): Promise<void> {
  await work.db
    .insertInto('idempotency_keys')
    .values({ ...row, company_id: work.caller.companyId, created_at: instant.toColumn(work.now) })
    .execute();
}

/** Deletes what was kept before that, oldest first and about `limit` at most; true where there is more. */
export async function deleteKeptBefore(work: SystemWriteWork, before: Date, limit: number): Promise<boolean> {
  const next = await work.db
    .selectFrom('idempotency_keys')
    .select('created_at')
    .where('created_at', '<', instant.toColumn(before))
    .orderBy('created_at')
    .offset(limit)
    .limit(1)
    .executeTakeFirst();
  await work.db
    .deleteFrom('idempotency_keys')
    // At least one instant goes, however many answers are of the same one.
    .where('created_at', '<', next === undefined ? instant.toColumn(before) : next.created_at + 1)
    .execute();
  return next !== undefined;
}
