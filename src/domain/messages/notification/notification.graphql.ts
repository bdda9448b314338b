import * as g from '../../../graphql/index.js';
import { invalid } from '../../../platform/errors.js';
import {
  NUMBER_CONDITIONS,
  numberConditions,
  WITHOUT_TERMINAL,
} from '../../fleet/device/number-target.graphql.js';
import { GroupList } from '../../fleet/group/group.graphql.js';
import { LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import { requireExpectedCount } from '../../fleet/logical-number/logical-number.model.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { AppList } from '../../software/app/app.graphql.js';
import {
  NotificationSend,
  type DeliveryState,
  type Notification,
  type NotificationKind,
  type NotificationRange,
} from './notification.model.js';
import * as service from './notification.service.js';

const Kind = g.enumeration<NotificationKind>('NotificationKind', 'What devices do with a notification.', {
  show: 'They show its text.',
  processing: 'They pass it to an app.',
});

const Range = g.enumeration<NotificationRange>('NotificationRange', 'Kind of target of a notification.', {
  group: 'The logical numbers that a group had when the notification was sent.',
  specific_logical_numbers: 'A list of logical numbers.',
});

export const NotificationDeliveryState = g.enumeration<DeliveryState>(
  'NotificationDeliveryState',
  'State of a delivery.',
  {
    queued: 'It waits.',
    sent: 'It was handed to a connection of the terminal, or to a broker, and is not confirmed yet.',
    delivered: 'The terminal has confirmed it.',
    failed: 'It was handed out 100 times without a confirmation, or cannot be handed out: see `reason`.',
    expired: 'It was not confirmed within 7 days.',
    cancelled: 'It was cancelled before it was confirmed.',
  },
);

export const NotificationType = auditedType<Notification, 'groupId' | 'appId'>(
  'Notification',
  'A message to the devices of logical numbers.',
  {
    content: g.text('Action and text, separated by a pipe, for example SHOW_MESSAGE|Closed on Sunday.'),
    kind: g.choice(Kind, 'What devices do with the notification.'),
    range: g.choice(Range, 'Kind of target.'),
    expiresAt: g.instant(
      'End of delivery, 7 days after sending. Devices that are not reached by then do not get it.',
    ),
  },
);

export const NotificationList = g.listTypes(
  service.notifications,
  NotificationType,
  { kind: Kind },
  { deliveryState: NotificationDeliveryState },
  { deliveryState: 'States of its deliveries: at least one must match.' },
);

const NotificationTargetInput = g.inputOf(
  'NotificationTargetInput',
  NotificationSend.pick({ groupId: true, logicalNumbers: true }),
  {
    description:
      'Target of a notification: exactly one of a group, logical numbers, a filter, a filter of devices and a saved filter.',
    references: { groupId: 'Group' },
    descriptions: {
      groupId: 'Global id of a group. The target is all logical numbers that it has now.',
      logicalNumbers: 'Logical numbers (`number`, not ids). At most 10000; duplicates count once.',
    },
    fields: NUMBER_CONDITIONS,
  },
);

const NotificationSendInput = g.inputOf(
  'NotificationSendInput',
  NotificationSend.pick({ content: true, appId: true }),
  {
    description: 'Fields of a new notification.',
    references: { appId: 'App' },
    descriptions: {
      content:
        'A text of at most 4096 characters, for example "Closed on Sunday", which gets the action of its kind; or an action in capitals, a pipe and a text.',
      appId: 'Global id of the app that devices pass the notification to. Only with the kind PROCESSING.',
    },
    fields: {
      kind: { ...g.choice(Kind, 'What devices do with the notification.'), defaultValue: 'show' },
      target: g.object(NotificationTargetInput, 'Who gets the notification.'),
    },
  },
);

/** Path in the argument `input` of a field that a domain error names. */
function pathOf(field: string): readonly string[] {
  if (field === 'expectCount') return [field];
  const path = field.split('.');
  const isOfTarget = ['groupId', 'logicalNumbers', 'filter', 'deviceFilter'].includes(path[0] ?? '');
  return isOfTarget ? ['input', 'target', ...path] : ['input', ...path];
}

/** The target with the logical numbers of its filter. */
async function withNumbers(
  work: Parameters<typeof service.findNumbers>[0],
  { filter, deviceFilter, savedFilterId, ...target }: InstanceType<typeof NotificationTargetInput>,
  info: g.Info,
): Promise<g.Input> {
  const [condition, ...more] = await numberConditions(work, { filter, deviceFilter, savedFilterId }, info);
  if (condition === undefined) return target;
  if (more.length > 0 || target.groupId != null || target.logicalNumbers != null) {
    throw invalid('target', 'must have exactly one of {choices}', {
      choices: 'groupId, logicalNumbers, filter, deviceFilter and savedFilterId',
    });
  }
  return { logicalNumbers: await service.findNumbers(work, condition) };
}

const notificationSend = g.ownMutation('NotificationSend', {
  description:
    'Sends a notification: queues it once for each logical number of its target, for 7 days. A number without a device counts too: a device that gets the number within that time gets the notification.',
  args: { input: g.object(NotificationSendInput, 'Fields of the new notification.'), ...g.TARGET_ARGS },
  payload: {
    notification: g.object.orNull(
      NotificationType,
      'The notification. Null after an error, and with dryRun.',
    ),
    ...g.targetPayload('Number of logical numbers for which the notification was queued.', LogicalNumberType),
    ...WITHOUT_TERMINAL,
  },
  within: pathOf,
  prepare: (ctx, { input: { target } }, info) =>
    ctx.services.units.read(ctx.caller, (work) => withNumbers(work, target, info), {
      examines: (target.savedFilterId ?? target.filter ?? target.deviceFilter) != null,
    }),
  run: async (work, { input: { target: _, ...input }, dryRun, expectCount }, _ctx, reached: g.Input) => {
    const given = g.withNumbers({ ...input, ...reached }, { groupId: 'Group', appId: 'App' });
    if (dryRun === true || expectCount != null) {
      const affected = await service.affectedByNotification(work, given);
      requireExpectedCount(affected.count, expectCount);
      if (dryRun === true) return affected;
    }
    const notification = await service.sendNotification(work, given);
    return { notification, count: notification.queued };
  },
});

export const notificationGraphql = g.graphqlModule(
  g.queries(NotificationList),
  notificationSend,
  g.fields(NotificationType, {
    group: g.one(
      GroupList,
      'groupId',
      'The group that it was sent to. Null if it was sent to logical numbers, or the group was deleted.',
    ),
    app: g.one(
      AppList,
      'appId',
      'The app that devices pass it to. Null if there is none, or the app was deleted.',
    ),
  }),
);
