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
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { GroupType } from '../group/group.graphql.js';
import type { Group } from '../group/group.model.js';
import { groups } from '../group/group.service.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { logicalNumbers } from '../logical-number/logical-number.service.js';
import { OwnerInput, ownerIdsOf } from '../owner/owner.graphql.js';
import { getOwnerByIds } from '../owner/owner.service.js';
import { Audited } from '../user/audited.graphql.js';
import type { Parameter } from './parameter.model.js';
import {
  parameterList,
  parameters,
  parametersOfGroup,
  parametersOfLogicalNumber,
} from './parameter.service.js';

@ObjectType('Parameter', {
  implements: Node,
  simpleResolvers: true,
  description: 'A text that terminals read by key.',
})
export class ParameterType extends Audited {
  @Field(() => String, { description: 'Key, unique for its owner.' })
  key!: string;

  @Field(() => String, { description: 'Value.' })
  value!: string;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description!: string | null;
}

const ParameterList = listTypes(parameterList, ParameterType);

@InputType({ description: 'A new parameter.' })
class ParameterCreateInput {
  @Field(() => OwnerInput, { description: 'Whose it is.' })
  owner!: OwnerInput;

  @Field(() => String, { description: 'Key, unique for its owner: 1 to 255 characters.' })
  key!: string;

  @Field(() => String, { description: 'Value, up to 64 KiB.' })
  value!: string;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description?: string | null;
}

@InputType({ description: 'What changes of a parameter; what is absent stays.' })
class ParameterUpdateInput {
  @Field(() => String, { nullable: true, description: 'New key.' })
  key?: string | null;

  @Field(() => String, { nullable: true, description: 'New value.' })
  value?: string | null;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description?: string | null;
}

const ParameterCreatePayload = payloadOf('ParameterCreate', 'parameter', () => ParameterType);
const ParameterUpdatePayload = payloadOf('ParameterUpdate', 'parameter', () => ParameterType);
const ParameterDeletePayload = payloadOf('ParameterDelete', 'deletedId', () => ID);

@Resolver(() => ParameterType)
export class ParameterResolver {
  @Query(() => ParameterType, { nullable: true, description: 'A parameter by exactly one of its keys.' })
  parameter(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(parameterList, keys);
  }

  @Query(() => ParameterList.Connection, { description: 'The parameters of all owners in the company.' })
  parameters(@Args(() => ParameterList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(parameterList, args);
  }

  @FieldResolver(() => LogicalNumberType, {
    nullable: true,
    description: 'Logical number that owns it; null where a group does.',
  })
  logicalNumber(@Root() { logicalNumberId }: Parameter, @Ctx() ctx: GraphqlContext) {
    return ctx.one(logicalNumbers, logicalNumberId);
  }

  @FieldResolver(() => GroupType, {
    nullable: true,
    description: 'Group that owns it; null where a logical number does.',
  })
  group(@Root() { groupId }: Parameter, @Ctx() ctx: GraphqlContext) {
    return ctx.one(groups, groupId);
  }

  @Mutation(() => ParameterCreatePayload, {
    description: 'Creates a parameter for a logical number or a group.',
  })
  parameterCreate(
    @Arg('input', () => ParameterCreateInput, { description: 'What it shall be.' })
    input: ParameterCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const owner = await getOwnerByIds(work, ownerIdsOf(input.owner));
      return { parameter: await parameters.create(work, owner, input) };
    });
  }

  @Mutation(() => ParameterUpdatePayload, { description: 'Changes a parameter.' })
  parameterUpdate(
    @Arg('id', () => ID, { description: 'Which parameter.' }) id: string,
    @Arg('input', () => ParameterUpdateInput, { description: 'What changes.' })
    input: ParameterUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const current = await parameters.getById(work, idOf('Parameter', id));
      return { parameter: await parameters.update(work, current, input) };
    });
  }

  @Mutation(() => ParameterDeletePayload, { description: 'Deletes a parameter.' })
  parameterDelete(
    @Arg('id', () => ID, { description: 'Which parameter.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await parameters.delete(work, await parameters.getById(work, idOf('Parameter', id)));
      return { deletedId: id };
    });
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberParametersResolver {
  @FieldResolver(() => ParameterList.Connection, { description: "The number's own parameters." })
  parameters(
    @Root() number: LogicalNumberHead,
    @Args(() => ParameterList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(parametersOfLogicalNumber, number.id, args);
  }
}

@Resolver(() => GroupType)
export class GroupParametersResolver {
  @FieldResolver(() => ParameterList.Connection, { description: "The group's parameters." })
  parameters(
    @Root() group: Group,
    @Args(() => ParameterList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(parametersOfGroup, group.id, args);
  }
}
