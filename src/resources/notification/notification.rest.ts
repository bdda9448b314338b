import { z } from 'zod';

import { parse } from '../../platform/validate.js';
import { auditShape, listResponse, listShape, recordResponse, recordShape } from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import { NotificationSendText, type Notification } from './notification.model.js';
import { getNotification, listNotifications, sendNotification } from './notification.service.js';

const NotificationShape = z
  .strictObject({
    id: z.int(),
    content: z.string().meta({ examples: ['SHOW_MESSAGE|Closing at 18:00'] }),
    ...auditShape,
  })
  .meta({ id: 'Notification', description: 'A message to terminals: an action, a pipe and a text.' });

function notificationFields(notification: Notification) {
  return { id: notification.id, content: notification.content, ...auditFields(notification) };
}

/** The one success that carries a top-level `message` (contract 10). */
const QUEUED = { message: 'The notification was received and queued for processing.' };

/** /v1/notifications (contract 26). */
export const notificationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/notifications',
    scope: 'read',
    summary: 'List notifications',
    paged: true,
    response: listShape('notifications', 'notification', NotificationShape),
    read: async (work, call) =>
      listResponse(
        'notifications',
        'notification',
        await listNotifications(work, call.page),
        notificationFields,
      ),
  },
  {
    method: 'GET',
    path: '/notifications/{notification_id}',
    scope: 'read',
    summary: 'Read a notification',
    response: recordShape('notification', NotificationShape),
    read: async (work, call) => {
      const notification = await getNotification(work, call.id('notification_id', 'notification'));
      return recordResponse('notification', notificationFields(notification), notification);
    },
  },
  {
    method: 'POST',
    path: '/notifications',
    scope: 'write',
    summary: 'Notify terminals',
    description: 'Queued for 7 days for each logical number of the group, or for each that is named.',
    body: NotificationSendText,
    status: 201,
    response: z.strictObject({ message: z.string() }),
    write: async (work, call) => {
      await sendNotification(work, parse(NotificationSendText, call.input));
      return { status: 201, body: QUEUED };
    },
  },
];
