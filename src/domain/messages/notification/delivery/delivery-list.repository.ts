import { sql } from 'kysely';

import { CompanyRows, inCompany } from '../../../../database/company/company-rows.js';
import { recordMapping } from '../../../../database/company/company-table.js';
import { listOf } from '../../../../database/list/list.js';
import type { NewRows } from '../../../../database/list/related-rows.js';
import { deleteAged, type AgedRow, type Retained } from '../../../../database/prunings.js';
import { type ReadWork, specialSql } from '../../../../database/work.js';
import { lastPosition } from '../waiting/waiting.repository.js';
import type { Delivery, DeliveryChange, DeliverySummary } from './delivery.model.js';

/** Maximum deliveries of one notification. */
const MAX_ROWS = 200_000;

const mapping = recordMapping<'notification_deliveries', Delivery>('notification_deliveries');

export const deliveryList = listOf<'notification_deliveries', Delivery>({
  name: 'NotificationDelivery',
  table: 'notification_deliveries',
  rows: MAX_ROWS,
  isEndless: true,
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: { state: { column: 'state', kind: 'choice', order: 'ID' } },
});

export const deliveriesOfNotification = deliveryList.of({ column: 'notification_id' });
export const deliveriesOfLogicalNumber = deliveryList.of({ column: 'logical_number_id' });
/** Deliveries that were last given to the terminal with this serial number. */
export const deliveriesOfDevice = deliveryList.of({ column: 'serial_number', isName: true });

const changes = listOf<'notification_deliveries', DeliveryChange>({
  name: 'NotificationDeliveryChange',
  table: 'notification_deliveries',
  rows: MAX_ROWS,
  id: 'sequence',
  orders: { ID: 'sequence' },
  filters: { notificationId: { column: 'notification_id', kind: 'id' } },
  recordOf: (row) => ({ id: row.sequence, delivery: mapping.recordOf(row) }),
});

/**
 * The latest change of each delivery, by position. `first` is always 1: a later change replaces the earlier
 * one, so missing positions are no deleted events.
 */
export const deliveryNewRows: NewRows<DeliveryChange> = {
  ...changes.newRows('notification_deliveries_by_sequence'),
  span: async (work, companyId) => ({ first: 1, last: await lastPosition(inCompany(work, companyId)) }),
};

const totals = new CompanyRows('notification_totals');

/** Number of deliveries in each state by notification id; notifications without a delivery are absent. One statement. */
export async function deliverySummaries(
  work: ReadWork,
  notifications: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, DeliverySummary>> {
  const rows = await totals.select(work, { notification_id: notifications.map(({ id }) => id) });
  return new Map(
    rows.map(({ notification_id, queued, sent, delivered, failed, expired, cancelled }) => [
      notification_id,
      { queued, sent, delivered, failed, expired, cancelled },
    ]),
  );
}

/** Condition for deliveries that have ended. Other deliveries stay, however old they are. */
const ENDED = sql`d.state in ('delivered', 'failed', 'expired', 'cancelled')`;

/** Deliveries, by the time of their end. */
export const deliveryRetention: Retained = {
  kind: 'deliveries',
  table: 'notification_deliveries',
  rowsPerUnit: 400,
  oldest: sql`select d.finished_at from notification_deliveries as d
    where d.company_id = c.id and ${ENDED} order by d.finished_at limit 1`,
  aged: (companyId, before) =>
    sql`select d.finished_at as at from notification_deliveries as d
      where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}`,
  deleteOld: async (work, { companyId, before, limit }) => {
    const { db } = specialSql(work);
    const { rows } = await sql<AgedRow>`select d.id, d.finished_at as at from notification_deliveries as d
      where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}
      order by d.finished_at limit ${limit}`.execute(db);
    return await deleteAged(work, companyId, 'notification_deliveries', rows);
  },
};
