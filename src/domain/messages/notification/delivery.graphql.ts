import * as g from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import * as service from './delivery.service.js';
import { NotificationDeliveryState, NotificationList, NotificationType } from './notification.graphql.js';
import {
  type Notification,
  NO_DELIVERIES,
  type Delivery,
  type DeliveryChange,
  type DeliverySummary,
} from './notification.model.js';
import { getNotification } from './notification.service.js';

type Hidden =
  | 'notificationId'
  | 'logicalNumberId'
  | 'lane'
  | 'attempts'
  | 'leaseEndsAt'
  | 'dueAt'
  | 'sequence'
  | 'serialNumber';

const DeliveryType = g.nodeType<Delivery, Hidden>(
  'NotificationDelivery',
  'A notification for the terminal of one logical number.',
  {
    state: g.choice(NotificationDeliveryState, 'What became of it.'),
    queuedAt: g.instant('When the notification was sent.'),
    sentAt: g.instant.orNull(
      'When it was first handed to a connection or to a broker. Null if it never was.',
    ),
    finishedAt: g.instant.orNull(
      'When it was delivered, or has failed, expired or been cancelled. Null while it waits.',
    ),
    reason: g.text.orNull('Why it has failed. Null in other states.'),
    confirmedAt: g.instant.orNull(
      'When the terminal that was given it first confirmed it, also after it was cancelled, expired or failed. Null if none has.',
    ),
  },
);

const DeliveryList = g.listTypes(
  service.deliveryList,
  DeliveryType,
  { state: NotificationDeliveryState },
  {},
  { number: 'Condition on the `number` of the logical number.' },
);

const SummaryType = g.objectType<DeliverySummary>(
  'NotificationSummary',
  'Number of deliveries of a notification by state.',
  {
    queued: g.int('Deliveries that wait. Those of a large group are added within seconds.'),
    sent: g.int('Deliveries that were handed out and are not confirmed yet.'),
    delivered: g.int('Deliveries that terminals have confirmed.'),
    failed: g.int('Deliveries that have failed.'),
    expired: g.int('Deliveries that were not confirmed within 7 days.'),
    cancelled: g.int('Deliveries that were cancelled.'),
  },
);

const NotificationDeliveryEvent = g.objectType<{ readonly sequence: number; readonly delivery: Delivery }>(
  'NotificationDeliveryEvent',
  'A change of a delivery.',
  {
    sequence: g.int(
      'Position among the changes of deliveries of the company. Grows with each one; numbers may be missing.',
    ),
    delivery: g.object(DeliveryType, 'The delivery as it was when the event was sent.'),
  },
);

const IN_PARTS =
  'Deliveries are changed in parts; if an error interrupts the mutation, repeat it: those that were changed already do not change again.';
const NOTIFICATION_ID = g.id('Global id of the notification.');

/** Changes deliveries as a plan says; the payload has how many were changed under `counted`. */
function changeOfDeliveries(
  name: string,
  description: string,
  plan: typeof service.planCancel,
  counted: string,
  done: string,
): g.GraphqlModule {
  const Payload = g.payloadType(name, {
    notification: g.object.orNull(NotificationType, 'The notification. Null if nothing was changed.'),
    [counted]: g.int.orNull(`Number of deliveries that were ${done}. Null if nothing was changed.`),
  });
  return g.mutation(g.fieldName(name), {
    field: g.object(Payload, `${description} ${IN_PARTS}`),
    args: { id: NOTIFICATION_ID },
    resolve: async (_source, ctx, args) => {
      let notification: Notification | null = null;
      return await ctx.changeInParts(
        async (work) => {
          const planned = await plan(work, g.numberIn('Notification', args.id) ?? 0);
          ({ notification } = planned);
          return planned.parts;
        },
        (counts: readonly number[]) => ({
          notification,
          [counted]: counts.reduce((sum, count) => sum + count, 0),
        }),
        [],
      );
    },
  });
}

const notificationDelivery = g.subscription('notificationDelivery', {
  field: g.object(
    NotificationDeliveryEvent,
    'Each delivery of a notification that has changed, in the order of the changes. Of changes that follow each other quickly, only the last one of a delivery is sent.',
  ),
  args: {
    notificationId: NOTIFICATION_ID,
    after: g.int.orNull(
      'Resumes after the event with this `sequence`. Without it, only changes from now on are sent.',
    ),
  },
  subscribe: async (ctx, { notificationId, after }) => {
    await ctx.read('read', (work) => getNotification(work, g.numberIn('Notification', notificationId) ?? 0));
    return await ctx.follow(service.deliveryNewRows, {
      filter: { notificationId: { eq: notificationId } },
      after,
    });
  },
  resolve: ({ id: sequence, delivery }: DeliveryChange) => ({ sequence, delivery }),
});

export const deliveryGraphql = g.graphqlModule(
  g.nodesOf(service.deliveryList),
  changeOfDeliveries(
    'NotificationCancel',
    'Cancels all deliveries of a notification that are queued or sent. A terminal that was given one may still show it.',
    service.planCancel,
    'cancelled',
    'cancelled',
  ),
  changeOfDeliveries(
    'NotificationRetry',
    'Queues all failed deliveries of a notification again, until the notification expires.',
    service.planRetry,
    'queued',
    'queued again',
  ),
  notificationDelivery,
  g.fields(DeliveryType, {
    logicalNumber: g.one(
      LogicalNumberList,
      'logicalNumberId',
      'The logical number. Null while it is being deleted with its deliveries.',
    ),
    notification: g.one(NotificationList, 'notificationId', 'The notification that is delivered.'),
  }),
  g.fields(LogicalNumberType, {
    deliveries: g.many(DeliveryList, service.deliveriesOfLogicalNumber, 'Deliveries for the logical number.'),
  }),
  g.fields(DeviceType, {
    deliveries: g.many(
      DeliveryList,
      service.deliveriesOfDevice,
      'Deliveries that were last given to the terminal of this device, by its serial number, whatever logical number it had.',
      { key: 'serialNumber' },
    ),
  }),
  g.fields(NotificationType, {
    deliveries: g.many(
      DeliveryList,
      service.deliveriesOfNotification,
      'Deliveries of the notification, one for each logical number.',
    ),
    summary: g.loaded(
      g.object(SummaryType, 'Number of deliveries by state.'),
      service.deliverySummaries,
      (found) => found ?? NO_DELIVERIES,
    ),
  }),
);
