import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  ArgsType,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { Audited } from '../user/audited.graphql.js';
import { deleteGroup } from './group.removal.service.js';
import { createGroup, getGroup, getGroupByName, groups, updateGroup } from './group.service.js';

@ObjectType('Group', {
  implements: Node,
  simpleResolvers: true,
  description: 'Logical numbers that share applications and settings.',
})
export class GroupType extends Audited {
  @Field(() => String, { description: 'Name, unique in the company.' })
  name!: string;
}

export const GroupList = listTypes(groups, GroupType);

@InputType({ description: 'A new group.' })
class GroupCreateInput {
  @Field(() => String, { description: 'Name, unique in the company: 1 to 255 characters.' })
  name!: string;
}

@InputType({ description: 'What changes of a group; what is absent stays.' })
class GroupUpdateInput {
  @Field(() => String, { nullable: true, description: 'New name.' })
  name?: string | null;
}

const GroupCreatePayload = payloadOf('GroupCreate', 'group', () => GroupType);
const GroupUpdatePayload = payloadOf('GroupUpdate', 'group', () => GroupType);
const GroupDeletePayload = payloadOf('GroupDelete', 'deletedId', () => ID);

@ArgsType()
class GroupKeys extends Keys {
  @Field(() => String, { nullable: true, description: 'Its name.' })
  name?: string | null;
}

@Resolver(() => GroupType)
export class GroupResolver {
  @Query(() => GroupType, { nullable: true, description: 'A group by exactly one of its keys.' })
  group(@Args(() => GroupKeys) keys: GroupKeys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(groups, keys, { name: getGroupByName });
  }

  @Query(() => GroupList.Connection, { description: 'Groups of the company.' })
  groups(@Args(() => GroupList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(groups, args);
  }

  @Mutation(() => GroupCreatePayload, { description: 'Creates a group.' })
  groupCreate(
    @Arg('input', () => GroupCreateInput, { description: 'What it shall be.' }) input: GroupCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({ group: await createGroup(work, input) }));
  }

  @Mutation(() => GroupUpdatePayload, { description: 'Changes a group.' })
  groupUpdate(
    @Arg('id', () => ID, { description: 'Which group.' }) id: string,
    @Arg('input', () => GroupUpdateInput, { description: 'What changes.' }) input: GroupUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({
      group: await updateGroup(work, await getGroup(work, idOf('Group', id)), input),
    }));
  }

  @Mutation(() => GroupDeletePayload, {
    description: 'Deletes a group that has neither logical numbers nor app versions.',
  })
  groupDelete(@Arg('id', () => ID, { description: 'Which group.' }) id: string, @Ctx() ctx: GraphqlContext) {
    return ctx.change(async (work) => {
      await deleteGroup(work, await getGroup(work, idOf('Group', id)));
      return { deletedId: id };
    });
  }
}
