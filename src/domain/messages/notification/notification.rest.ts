import { z } from 'zod';

import { parse } from '../../../platform/validate.js';
import { auditShape, byId, CREATED, fieldsOf, resourceRoutes, type Route } from '../../../rest/index.js';
import { NotificationSendText, type Notification } from './notification.model.js';
import { getNotification, listNotifications, sendNotification } from './notification.service.js';

const NotificationShape = z
  .strictObject({
    id: z.int(),
    content: z.string().meta({ examples: ['SHOW_MESSAGE|Closing at 18:00'] }),
    ...auditShape,
  })
  .meta({ id: 'PushNotification', description: 'A message to terminals: an action, a pipe and a text.' });

/** The only success response with a top-level `message` (contract 10). */
const QUEUED = { message: 'The notification was received and queued for processing.' };

const sendRoute: Route = {
  method: 'POST',
  path: '/notifications',
  scope: 'write',
  summary: 'Notify terminals',
  description: 'Queued for 7 days for each logical number of the group, or for each of the given ones.',
  body: NotificationSendText,
  statuses: CREATED,
  response: z.strictObject({ message: z.string() }),
  write: async (work, call) => {
    await sendNotification(work, parse(NotificationSendText, call.input));
    return { body: QUEUED };
  },
};

/** /v1/notifications (contract 26). */
export const notificationRoutes: readonly Route[] = [
  ...resourceRoutes<Notification>({
    path: '/notifications',
    name: 'notification',
    key: byId('notification_id', 'notification', getNotification),
    fields: fieldsOf(NotificationShape).from<Notification>({
      range: 'omitted',
      kind: 'omitted',
      groupId: 'omitted',
      appId: 'omitted',
      expiresAt: 'omitted',
    }),
    list: { summary: 'List notifications', isLarge: true, handle: listNotifications },
    read: { summary: 'Read a notification' },
  }),
  sendRoute,
];
