import {
  choice,
  computed,
  enumeration,
  fieldName,
  fields,
  graphqlModule,
  type GraphqlModule,
  id,
  instant,
  int,
  listTypes,
  mutation,
  many,
  nodesOf,
  nodeType,
  numberIn,
  object,
  objectType,
  one,
  payloadType,
  subscription,
  text,
} from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import {
  deliveriesOfDevice,
  deliveriesOfLogicalNumber,
  deliveriesOfNotification,
  deliveryNewRows,
  deliveryList,
  deliverySummaries,
  planCancel,
  planRetry,
} from './delivery.service.js';
import { NotificationType } from './notification.graphql.js';
import {
  type Notification,
  NO_DELIVERIES,
  type Delivery,
  type DeliveryChange,
  type DeliveryState,
  type DeliverySummary,
} from './notification.model.js';
import { getNotification } from './notification.service.js';

const State = enumeration<DeliveryState>('NotificationDeliveryState', 'What became of a delivery.', {
  queued: 'It waits.',
  sent: 'It was handed to a connection of the terminal, or to a broker, and is not confirmed yet.',
  delivered: 'The terminal has confirmed it.',
  failed: 'It was handed out 100 times without a confirmation, or cannot be handed out: see `reason`.',
  expired: 'It was not confirmed within 7 days.',
  cancelled: 'It was cancelled before it was confirmed.',
});

type Hidden =
  | 'notificationId'
  | 'logicalNumberId'
  | 'attempts'
  | 'leaseEndsAt'
  | 'dueAt'
  | 'sequence'
  | 'serialNumber';

const DeliveryType = nodeType<Delivery, Hidden>(
  'NotificationDelivery',
  'A notification for the terminal of one logical number.',
  {
    state: choice(State, 'What became of it.'),
    queuedAt: instant('When the notification was sent.'),
    sentAt: instant.orNull('When it was first handed to a connection or to a broker. Null if it never was.'),
    finishedAt: instant.orNull(
      'When it was delivered, or has failed, expired or been cancelled. Null while it waits.',
    ),
    reason: text.orNull('Why it has failed. Null in other states.'),
    confirmedAt: instant.orNull(
      'When the terminal that was given it first confirmed it, also after it was cancelled, expired or failed. Null if none has.',
    ),
  },
);

const DeliveryList = listTypes(deliveryList, DeliveryType, { state: State });

const SummaryType = objectType<DeliverySummary>(
  'NotificationSummary',
  'Number of deliveries of a notification by state.',
  {
    queued: int('Deliveries that wait. Those of a large group are added within seconds.'),
    sent: int('Deliveries that were handed out and are not confirmed yet.'),
    delivered: int('Deliveries that terminals have confirmed.'),
    failed: int('Deliveries that have failed.'),
    expired: int('Deliveries that were not confirmed within 7 days.'),
    cancelled: int('Deliveries that were cancelled.'),
  },
);

const NotificationDeliveryEvent = objectType<{ readonly sequence: number; readonly delivery: Delivery }>(
  'NotificationDeliveryEvent',
  'A change of a delivery.',
  {
    sequence: int(
      'Position among the changes of deliveries of the company. Grows with each one; numbers may be missing.',
    ),
    delivery: object(DeliveryType, 'The delivery as it was when the event was sent.'),
  },
);

const IN_PARTS =
  'Deliveries are changed in parts; if an error interrupts the mutation, repeat it: those that were changed already do not change again.';
const NOTIFICATION_ID = id('Global id of the notification.');

/** Changes deliveries as a plan says; the payload has how many were changed under `counted`. */
function changeOfDeliveries(
  name: string,
  description: string,
  plan: typeof planCancel,
  counted: string,
  done: string,
): GraphqlModule {
  const Payload = payloadType(name, {
    notification: object.orNull(NotificationType, 'The notification. Null if nothing was changed.'),
    [counted]: int.orNull(`Number of deliveries that were ${done}. Null if nothing was changed.`),
  });
  return mutation(fieldName(name), {
    field: object(Payload, `${description} ${IN_PARTS}`),
    args: { id: NOTIFICATION_ID },
    resolve: async (_source, ctx, args) => {
      let notification: Notification | null = null;
      return await ctx.changeInParts(
        async (work) => {
          const planned = await plan(work, numberIn('Notification', args.id) ?? 0);
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

const notificationDelivery = subscription('notificationDelivery', {
  field: object(
    NotificationDeliveryEvent,
    'Each delivery of a notification that has changed, in the order of the changes. Of changes that follow each other quickly, only the last one of a delivery is sent.',
  ),
  args: {
    notificationId: NOTIFICATION_ID,
    after: int.orNull(
      'Resumes after the event with this `sequence`. Without it, only changes from now on are sent.',
    ),
  },
  subscribe: async (ctx, { notificationId, after }) => {
    await ctx.read('read', (work) => getNotification(work, numberIn('Notification', notificationId) ?? 0));
    return await ctx.follow(deliveryNewRows, { filter: { notificationId: { eq: notificationId } }, after });
  },
  resolve: ({ id: sequence, delivery }: DeliveryChange) => ({ sequence, delivery }),
});

export const deliveryGraphql = graphqlModule(
  nodesOf(deliveryList),
  changeOfDeliveries(
    'NotificationCancel',
    'Cancels all deliveries of a notification that are queued or sent. A terminal that was given one may still show it.',
    planCancel,
    'cancelled',
    'cancelled',
  ),
  changeOfDeliveries(
    'NotificationRetry',
    'Queues all failed deliveries of a notification again, until the notification expires.',
    planRetry,
    'queued',
    'queued again',
  ),
  notificationDelivery,
  fields(DeliveryType, {
    logicalNumber: one(
      LogicalNumberList,
      'logicalNumberId',
      'The logical number. Null while it is being deleted with its deliveries.',
    ),
  }),
  fields(LogicalNumberType, {
    deliveries: many(DeliveryList, deliveriesOfLogicalNumber, 'Deliveries for the logical number.'),
  }),
  fields(DeviceType, {
    deliveries: many(
      DeliveryList,
      deliveriesOfDevice,
      'Deliveries that were last given to the terminal of this device, by its serial number, whatever logical number it had.',
      { key: 'serialNumber' },
    ),
  }),
  fields(NotificationType, {
    deliveries: many(
      DeliveryList,
      deliveriesOfNotification,
      'Deliveries of the notification, one for each logical number.',
    ),
    summary: computed(
      object(SummaryType, 'Number of deliveries by state.'),
      async (notification, ctx) => (await ctx.loadForMany(deliverySummaries, notification)) ?? NO_DELIVERIES,
    ),
  }),
);
