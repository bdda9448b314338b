import { sql } from 'kysely';

import { auditOf } from '../../database/audit.js';
import { CompanyTable } from '../../database/company/company-table.js';
import { auditedList } from '../../database/list/audited-list.js';
import { specialSql } from '../../database/special-sql.js';
import { amongIds, instant } from '../../database/storage.js';
import type { WriteWork } from '../../database/work.js';
import type { Notification } from './notification.model.js';

export const notificationTable = new CompanyTable<'notifications', Notification>({
  table: 'notifications',
  recordOf: (row) => ({
    id: row.id,
    content: row.content,
    range: row.range === 'group' ? 'group' : 'specific_logical_numbers',
    kind: row.kind === 'processing' ? 'processing' : 'show',
    groupId: row.group_id,
    appId: row.app_id,
    expiresAt: instant.fromColumn(row.expires_at),
    ...auditOf(row),
  }),
  columnsOf: (notification) => ({
    content: notification.content,
    range: notification.range,
    kind: notification.kind,
    group_id: notification.groupId,
    app_id: notification.appId,
    expires_at: instant.toColumn(notification.expiresAt),
  }),
});

export const notifications = auditedList(notificationTable, {
  name: 'Notification',
  isLarge: true,
  orders: { EXPIRES_AT: 'expires_at' },
  filters: {
    kind: { column: 'kind', kind: 'choice', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
  },
});

export type DeliveryTargets = { readonly groupId: number } | { readonly logicalNumberIds: readonly number[] };

/** Queues one delivery for each logical number, in one statement; returns how many. */
export async function queueDeliveries(
  work: WriteWork,
  notificationId: number,
  targets: DeliveryTargets,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const targeted =
    'groupId' in targets
      ? sql`group_id = ${targets.groupId}`
      : sql`id in ${amongIds(targets.logicalNumberIds)}`;
  const result = await sql`insert into notification_deliveries
      (company_id, notification_id, logical_number_id, state, updated_at)
    select company_id, ${notificationId}, id, 'queued', ${instant.toColumn(work.now)} from logical_numbers
    where company_id = ${companyId} and ${targeted}`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
