import { auditOf } from '../../../database/audit.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
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
  columns: {
    content: 'content',
    range: 'range',
    kind: 'kind',
    groupId: 'group_id',
    appId: 'app_id',
    expiresAt: 'expires_at',
  },
  orders: { EXPIRES_AT: 'expires_at' },
  filters: {
    kind: { column: 'kind', kind: 'choice', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
  },
});
