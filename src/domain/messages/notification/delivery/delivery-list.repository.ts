import { inCompany } from '../../../../database/company/company-rows.js';
import { listOf } from '../../../../database/list/list.js';
import type { NewRows } from '../../../../database/list/new-rows.js';
import { instant, nullable } from '../../../../database/storage.js';
import type { Row } from '../../../../schema/schema.js';
import { lastPosition } from '../waiting/waiting.repository.js';
import type { Delivery, DeliveryChange, DeliveryState } from './delivery.model.js';

/** Maximum deliveries of one notification. */
const MAX_ROWS = 200_000;

const end = nullable(instant);

const deliveryOf = (row: Row<'notification_deliveries'>): Delivery => ({
  id: row.id,
  notificationId: row.notification_id,
  logicalNumberId: row.logical_number_id,
  state: row.state as DeliveryState,
  queuedAt: instant.fromColumn(row.queued_at),
  sentAt: end.fromColumn(row.sent_at),
  finishedAt: end.fromColumn(row.finished_at),
  reason: row.reason,
  confirmedAt: end.fromColumn(row.confirmed_at),
});

export const deliveryList = listOf<'notification_deliveries', Delivery>({
  name: 'NotificationDelivery',
  table: 'notification_deliveries',
  rows: MAX_ROWS,
  isEndless: true,
  id: 'id',
  columns: {
    logicalNumberId: 'logical_number_id',
    state: 'state',
    queuedAt: 'queued_at',
    sentAt: 'sent_at',
    finishedAt: 'finished_at',
    reason: 'reason',
    confirmedAt: 'confirmed_at',
  },
  orders: { ID: 'id' },
  filters: { state: { column: 'state', kind: 'choice', order: 'ID' } },
  recordOf: deliveryOf,
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
  recordOf: (row) => ({ id: row.sequence, delivery: deliveryOf(row) }),
});

/**
 * The latest change of each delivery, by position. `first` is always 1: a later change replaces the earlier
 * one, so missing positions are no deleted events.
 */
export const deliveryNewRows: NewRows<DeliveryChange> = {
  ...changes.newRows('notification_deliveries_by_sequence'),
  span: async (work, companyId) => ({ first: 1, last: await lastPosition(inCompany(work, companyId)) }),
};
