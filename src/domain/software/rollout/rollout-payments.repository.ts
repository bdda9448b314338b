import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { crossJoin, idsOf, indexedBy, listTable } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { TimeRange } from '../../../platform/timestamps.js';
import type { PaymentFigures, Rollout } from './rollout.model.js';

/**
 * Serial numbers of the terminals of a wave that have got the versions, or of later waves that wait for them. Devices
 * that were deleted are left out. One statement.
 */
export async function selectSerials(
  work: ReadWork,
  { id }: Pick<Rollout, 'id'>,
  [side, wave]: readonly ['granted' | 'waiting', number],
): Promise<readonly string[]> {
  const { db, companyId } = specialSql(work);
  const wanted =
    side === 'granted'
      ? sql`t.wave = ${wave} and t.granted_at is not null`
      : sql`t.wave > ${wave} and t.granted_at is null`;
  const query = sql`select d.serial_number as id from rollout_terminals as t ${crossJoin} devices as d
    on d.company_id = t.company_id and d.id = t.device_id
    where t.company_id = ${companyId} and t.rollout_id = ${id} and t.obstacle is null and ${wanted}`;
  const { rows } = await sql<{ serials: string }>`select ${idsOf(query)} as serials`.execute(db);
  return JSON.parse(rows[0]?.serials ?? '[]') as string[];
}

/** Payments of terminals that started in a span of time. One statement, on an index that has all of its columns. */
export async function sumPayments(work: ReadWork, serialNumbers: readonly string[], { from, to }: TimeRange) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Omit<PaymentFigures, 'terminals'>>`select count(x.payment_outcome) as payments,
      count(*) filter (where x.payment_outcome <> 'denied') as approved,
      count(*) filter (where x.status = 'fail' and x.transaction_type = 'switch') as failed
    from ${listTable('text', serialNumbers)} cross join ${indexedBy('transactions', 'x', 'transactions_serial')}
    where x.company_id = ${companyId} and x.serial_number = p.value
      and x.started_at >= ${new Date(from)} and x.started_at < ${new Date(to)}`.execute(db);
  return rows[0] ?? { payments: 0, approved: 0, failed: 0 };
}
