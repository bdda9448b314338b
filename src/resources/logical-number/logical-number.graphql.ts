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
  Resolver,
  Root,
  ArgsType,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf, present } from '../../graphql/schema/payload.js';
import { GroupType } from '../group/group.graphql.js';
import type { Group } from '../group/group.model.js';
import { groups } from '../group/group.service.js';
import { Audited } from '../user/audited.graphql.js';
import type { LogicalNumberHead } from './logical-number.model.js';
import { deleteLogicalNumber } from './logical-number.removal.service.js';
import {
  createLogicalNumber,
  getLogicalNumber,
  getLogicalNumberByNumber,
  logicalNumbers,
  logicalNumbersOfGroup,
  updateLogicalNumber,
} from './logical-number.service.js';

@ObjectType('LogicalNumber', {
  implements: Node,
  simpleResolvers: true,
  description: 'A number under which terminals work, with the applications and settings that they get.',
})
export class LogicalNumberType extends Audited {
  @Field(() => String, { description: 'The number, unique in the company.' })
  number!: string;
}

export const LogicalNumberList = listTypes(logicalNumbers, LogicalNumberType);

const REFERENCES = { groupId: 'Group', appVersionIds: 'AppVersion' };

@InputType({ description: 'A new logical number.' })
class LogicalNumberCreateInput {
  @Field(() => String, { description: 'The number, unique in the company: 1 to 64 characters, no comma.' })
  number!: string;

  @Field(() => ID, { nullable: true, description: 'Group that it belongs to.' })
  groupId?: string | null;

  @Field(() => [ID], { nullable: true, description: 'App versions, out of those of its group.' })
  appVersionIds?: string[] | null;
}

@InputType({ description: 'What changes of a logical number; what is absent stays.' })
class LogicalNumberUpdateInput {
  @Field(() => String, { nullable: true, description: 'New number.' })
  number?: string | null;

  @Field(() => ID, { nullable: true, description: 'New group; null takes it out of its group.' })
  groupId?: string | null;

  @Field(() => [ID], { nullable: true, description: 'App versions in place of those before.' })
  appVersionIds?: string[] | null;
}

const NumberCreatePayload = payloadOf('LogicalNumberCreate', 'logicalNumber', () => LogicalNumberType);
const NumberUpdatePayload = payloadOf('LogicalNumberUpdate', 'logicalNumber', () => LogicalNumberType);
const NumberDeletePayload = payloadOf('LogicalNumberDelete', 'deletedId', () => ID);
const NumberMovePayload = payloadOf('LogicalNumberMove', 'logicalNumber', () => LogicalNumberType);
const NumberVersionsPayload = payloadOf(
  'LogicalNumberSetAppVersions',
  'logicalNumber',
  () => LogicalNumberType,
);

/** Changes the number behind an id; `within` says where in the arguments the changed fields stand. */
function change(ctx: GraphqlContext, id: string, input: () => object, within?: readonly string[]) {
  return ctx.change(
    async (work) => {
      const current = await getLogicalNumber(work, idOf('LogicalNumber', id));
      return { logicalNumber: await updateLogicalNumber(work, current, withNumbers(input(), REFERENCES)) };
    },
    'write',
    within,
  );
}

@ArgsType()
class LogicalNumberKeys extends Keys {
  @Field(() => String, { nullable: true, description: 'The number.' })
  number?: string | null;
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberResolver {
  @Query(() => LogicalNumberType, {
    nullable: true,
    description: 'A logical number by exactly one of its keys.',
  })
  logicalNumber(@Args(() => LogicalNumberKeys) keys: LogicalNumberKeys, @Ctx() ctx: GraphqlContext) {
    return ctx.find<LogicalNumberHead>(logicalNumbers, keys, { number: getLogicalNumberByNumber });
  }

  @Query(() => LogicalNumberList.Connection, { description: 'Logical numbers of the company.' })
  logicalNumbers(@Args(() => LogicalNumberList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(logicalNumbers, args);
  }

  @FieldResolver(() => GroupType, { nullable: true, description: 'Group that it belongs to, if any.' })
  group(@Root() { groupId }: LogicalNumberHead, @Ctx() ctx: GraphqlContext) {
    return ctx.one(groups, groupId);
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberMutations {
  @Mutation(() => NumberCreatePayload, { description: 'Creates a logical number.' })
  logicalNumberCreate(
    @Arg('input', () => LogicalNumberCreateInput, { description: 'What it shall be.' })
    input: LogicalNumberCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({
      logicalNumber: await createLogicalNumber(work, withNumbers(input, REFERENCES)),
    }));
  }

  @Mutation(() => NumberUpdatePayload, {
    description:
      'Changes a logical number; in another group it keeps only app versions that are linked there.',
  })
  logicalNumberUpdate(
    @Arg('id', () => ID, { description: 'Which logical number.' }) id: string,
    @Arg('input', () => LogicalNumberUpdateInput, { description: 'What changes.' })
    input: LogicalNumberUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, () => input);
  }

  @Mutation(() => NumberDeletePayload, {
    description:
      'Deletes a logical number with its parameters and metacontents; its devices stay, without a number.',
  })
  logicalNumberDelete(
    @Arg('id', () => ID, { description: 'Which logical number.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await deleteLogicalNumber(work, await getLogicalNumber(work, idOf('LogicalNumber', id)));
      return { deletedId: id };
    });
  }

  @Mutation(() => NumberMovePayload, {
    description: 'Moves a logical number to a group or out of its own; app versions not linked there go.',
  })
  logicalNumberMove(
    @Arg('id', () => ID, { description: 'Which logical number.' }) id: string,
    @Ctx() ctx: GraphqlContext,
    @Arg('groupId', () => ID, { nullable: true, description: 'To which group; null takes it out.' })
    groupId?: string | null,
  ) {
    return change(ctx, id, () => ({ groupId: present('groupId', groupId) }), []);
  }

  @Mutation(() => NumberVersionsPayload, {
    description: 'Gives a logical number these app versions of its group, in place of those before.',
  })
  logicalNumberSetAppVersions(
    @Arg('id', () => ID, { description: 'Which logical number.' }) id: string,
    @Arg('appVersionIds', () => [ID], { description: 'Which app versions.' }) appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, () => ({ appVersionIds }), []);
  }
}

@Resolver(() => GroupType)
export class GroupLogicalNumbersResolver {
  @FieldResolver(() => LogicalNumberList.Connection, { description: 'Logical numbers of the group.' })
  logicalNumbers(
    @Root() group: Group,
    @Args(() => LogicalNumberList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(logicalNumbersOfGroup, group.id, args);
  }
}
