import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { Notification } from './notification.model.js';

export const notificationTable = new CompanyTable<'notifications', Notification>('notifications');

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
