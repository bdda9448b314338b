import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { Node, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { DateTime } from '../../graphql/schema/scalars.js';
import { AppType } from '../app/app.graphql.js';
import { apps } from '../app/app.service.js';
import { GroupType } from '../group/group.graphql.js';
import { groups } from '../group/group.service.js';
import { Audited } from '../user/audited.graphql.js';
import type { Notification, NotificationKind, NotificationRange } from './notification.model.js';
import { notifications, sendNotification } from './notification.service.js';

const KINDS: Readonly<Record<Uppercase<NotificationKind>, NotificationKind>> = {
  SHOW: 'show',
  PROCESSING: 'processing',
};
registerEnumType(KINDS, {
  name: 'NotificationKind',
  description: 'What terminals do with a notification.',
  valuesConfig: {
    SHOW: { description: 'They show it.' },
    PROCESSING: { description: 'An application handles it.' },
  },
});

const RANGES: Readonly<Record<Uppercase<NotificationRange>, NotificationRange>> = {
  GROUP: 'group',
  SPECIFIC_LOGICAL_NUMBERS: 'specific_logical_numbers',
};
registerEnumType(RANGES, {
  name: 'NotificationRange',
  description: 'Whom a notification is for.',
  valuesConfig: {
    GROUP: { description: 'The logical numbers that a group had when it was sent.' },
    SPECIFIC_LOGICAL_NUMBERS: { description: 'Logical numbers that were named.' },
  },
});

@ObjectType('Notification', {
  implements: Node,
  simpleResolvers: true,
  description: 'A message to terminals.',
})
class NotificationType extends Audited {
  @Field(() => String, { description: 'An action, a pipe and a text.' })
  content!: string;

  @Field(() => KINDS, { description: 'What terminals do with it.' })
  kind!: NotificationKind;

  @Field(() => RANGES, { description: 'Whom it is for.' })
  range!: NotificationRange;

  @Field(() => DateTime, { description: 'It is not delivered after this.' })
  expiresAt!: Date;
}

const NotificationList = listTypes(notifications, NotificationType, {
  kind: { name: 'NotificationKind', type: KINDS },
});

@InputType({
  description: 'Whom to notify: a group or logical numbers; exactly one of the two is given.',
})
class NotificationTargetInput {
  @Field(() => ID, { nullable: true, description: 'A group: all logical numbers that it has now.' })
  groupId?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Logical numbers, at most 10000; each gets it once.',
  })
  logicalNumbers?: string[] | null;
}

@InputType({ description: 'A new notification.' })
class NotificationSendInput {
  @Field(() => String, {
    description:
      'A text, before which the action of the kind is put; or an action in capitals, a pipe and a text.',
  })
  content!: string;

  @Field(() => KINDS, { defaultValue: KINDS.SHOW, description: 'What terminals do with it.' })
  kind!: NotificationKind;

  @Field(() => NotificationTargetInput, { description: 'Whom to notify.' })
  target!: NotificationTargetInput;

  @Field(() => ID, { nullable: true, description: 'App that handles it; with the kind PROCESSING only.' })
  appId?: string | null;
}

const NotificationSendPayload = payloadOf('NotificationSend', 'notification', () => NotificationType);

const TARGETS: readonly string[] = ['groupId', 'logicalNumbers'];

/** Where a field of the domain stands in the arguments. */
function placeOf(field: string): readonly string[] {
  return TARGETS.includes(field) ? ['input', 'target', field] : ['input', field];
}

@Resolver(() => NotificationType)
export class NotificationResolver {
  @Query(() => NotificationType, {
    nullable: true,
    description: 'A notification by exactly one of its keys.',
  })
  notification(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(notifications, keys);
  }

  @Query(() => NotificationList.Connection, { description: 'Notifications of the company.' })
  notifications(@Args(() => NotificationList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(notifications, args);
  }

  @FieldResolver(() => GroupType, {
    nullable: true,
    description: 'Group that it was for; null where it was for none, or the group is gone.',
  })
  group(@Root() { groupId }: Notification, @Ctx() ctx: GraphqlContext) {
    return ctx.one(groups, groupId);
  }

  @FieldResolver(() => AppType, {
    nullable: true,
    description: 'App that handles it; null where none does, or the app is gone.',
  })
  app(@Root() { appId }: Notification, @Ctx() ctx: GraphqlContext) {
    return ctx.one(apps, appId);
  }

  @Mutation(() => NotificationSendPayload, {
    description: 'Queues a message to terminals for 7 days, once for each logical number.',
  })
  notificationSend(
    @Arg('input', () => NotificationSendInput, { description: 'What to whom.' })
    { target, ...input }: NotificationSendInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(
      async (work) => {
        const { groupId, logicalNumbers } = target;
        const given = withNumbers({ ...input, groupId, logicalNumbers }, { groupId: 'Group', appId: 'App' });
        return { notification: await sendNotification(work, given) };
      },
      'write',
      placeOf,
    );
  }
}
