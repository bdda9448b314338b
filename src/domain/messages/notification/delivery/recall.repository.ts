import { sql } from 'kysely';

import { inList } from '../../../../database/bound-lists.js';
import { CompanyRows, type OfCompany } from '../../../../database/company/company-rows.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { indexedBy, instant } from '../../../../database/storage.js';
import type { ReadWork, SystemReadWork } from '../../../../database/work.js';
import type { DeliveryState, DeliverySummary } from './delivery.model.js';

const totals = new CompanyRows('notification_totals');

/** Summaries by notification id; notifications without a delivery are absent. One statement. */
export async function selectSummaries(
  work: ReadWork,
  notificationIds: readonly number[],
): Promise<ReadonlyMap<number, DeliverySummary>> {
  const rows = await totals.select(work, { notification_id: notificationIds });
  return new Map(
    rows.map(({ notification_id, queued, sent, delivered, failed, expired, cancelled }) => [
      notification_id,
      { queued, sent, delivered, failed, expired, cancelled },
    ]),
  );
}

/** Ids of deliveries of a notification in one of the states, in no certain order. */
export async function selectInStates(
  work: OfCompany<SystemReadWork>,
  notificationId: number,
  states: readonly DeliveryState[],
  limit: number,
): Promise<readonly number[]> {
  const { db } = specialSql(work);
  const { companyId } = work.caller;
  const { rows } = await sql<{ id: number }>`select d.id
    from ${indexedBy('notification_deliveries', 'd', 'notification_deliveries_by_notification_id_state_id')}
    where d.company_id = ${companyId} and d.notification_id = ${notificationId}
      and d.state ${inList('text', states)} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export interface ExpiredNotification {
  readonly companyId: number;
  readonly id: number;
}

/** A notification of any company that has expired, and of which deliveries wait. */
export async function findExpired(work: SystemReadWork): Promise<ExpiredNotification | undefined> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ company_id: number; id: number }>`select t.company_id, t.notification_id as id
    from notification_totals as t
    join notifications as s on s.company_id = t.company_id and s.id = t.notification_id
    where t.queued + t.sent > 0 and s.expires_at <= ${instant.toColumn(work.now)} limit 1`.execute(db);
  const [row] = rows;
  return row && { companyId: row.company_id, id: row.id };
}
