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
import { JsonValue } from '../../graphql/schema/scalars.js';
import type { Json } from '../../platform/encoding/json.js';
import { GroupType } from '../group/group.graphql.js';
import type { Group } from '../group/group.model.js';
import { groups } from '../group/group.service.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { logicalNumbers } from '../logical-number/logical-number.service.js';
import { OwnerInput, ownerIdsOf } from '../owner/owner.graphql.js';
import { getOwnerByIds } from '../owner/owner.service.js';
import { Audited } from '../user/audited.graphql.js';
import type { Metacontent } from './metacontent.model.js';
import {
  metacontentList,
  metacontents,
  metacontentsOfGroup,
  metacontentsOfLogicalNumber,
} from './metacontent.service.js';

@ObjectType('Metacontent', {
  implements: Node,
  simpleResolvers: true,
  description: 'A JSON value that terminals read by key.',
})
class MetacontentType extends Audited {
  @Field(() => String, { description: 'Key, unique for its owner.' })
  key!: string;

  @Field(() => JsonValue, { nullable: true, description: 'Value, which may be null.' })
  value!: Json;
}

const MetacontentList = listTypes(metacontentList, MetacontentType);

@InputType({ description: 'A new metacontent.' })
class MetacontentCreateInput {
  @Field(() => OwnerInput, { description: 'Whose it is.' })
  owner!: OwnerInput;

  @Field(() => String, { description: 'Key, unique for its owner: 1 to 255 characters.' })
  key!: string;

  @Field(() => JsonValue, { nullable: true, description: 'Value, up to 256 KiB; required, but may be null.' })
  value?: Json;
}

@InputType({ description: 'What changes of a metacontent; what is absent stays.' })
class MetacontentUpdateInput {
  @Field(() => String, { nullable: true, description: 'New key.' })
  key?: string | null;

  @Field(() => JsonValue, { nullable: true, description: 'New value; null is a value.' })
  value?: Json;
}

const MetacontentCreatePayload = payloadOf('MetacontentCreate', 'metacontent', () => MetacontentType);
const MetacontentUpdatePayload = payloadOf('MetacontentUpdate', 'metacontent', () => MetacontentType);
const MetacontentDeletePayload = payloadOf('MetacontentDelete', 'deletedId', () => ID);

@Resolver(() => MetacontentType)
export class MetacontentResolver {
  @Query(() => MetacontentType, { nullable: true, description: 'A metacontent by exactly one of its keys.' })
  metacontent(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(metacontentList, keys);
  }

  @Query(() => MetacontentList.Connection, { description: 'The metacontents of all owners in the company.' })
  metacontents(@Args(() => MetacontentList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(metacontentList, args);
  }

  @FieldResolver(() => LogicalNumberType, {
    nullable: true,
    description: 'Logical number that owns it; null where a group does.',
  })
  logicalNumber(@Root() { logicalNumberId }: Metacontent, @Ctx() ctx: GraphqlContext) {
    return ctx.one(logicalNumbers, logicalNumberId);
  }

  @FieldResolver(() => GroupType, {
    nullable: true,
    description: 'Group that owns it; null where a logical number does.',
  })
  group(@Root() { groupId }: Metacontent, @Ctx() ctx: GraphqlContext) {
    return ctx.one(groups, groupId);
  }

  @Mutation(() => MetacontentCreatePayload, {
    description: 'Creates a metacontent for a logical number or a group.',
  })
  metacontentCreate(
    @Arg('input', () => MetacontentCreateInput, { description: 'What it shall be.' })
    input: MetacontentCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const owner = await getOwnerByIds(work, ownerIdsOf(input.owner));
      return { metacontent: await metacontents.create(work, owner, input) };
    });
  }

  @Mutation(() => MetacontentUpdatePayload, { description: 'Changes a metacontent.' })
  metacontentUpdate(
    @Arg('id', () => ID, { description: 'Which metacontent.' }) id: string,
    @Arg('input', () => MetacontentUpdateInput, { description: 'What changes.' })
    input: MetacontentUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const current = await metacontents.getById(work, idOf('Metacontent', id));
      return { metacontent: await metacontents.update(work, current, input) };
    });
  }

  @Mutation(() => MetacontentDeletePayload, { description: 'Deletes a metacontent.' })
  metacontentDelete(
    @Arg('id', () => ID, { description: 'Which metacontent.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await metacontents.delete(work, await metacontents.getById(work, idOf('Metacontent', id)));
      return { deletedId: id };
    });
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberMetacontentsResolver {
  @FieldResolver(() => MetacontentList.Connection, { description: "The number's own metacontents." })
  metacontents(
    @Root() number: LogicalNumberHead,
    @Args(() => MetacontentList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(metacontentsOfLogicalNumber, number.id, args);
  }
}

@Resolver(() => GroupType)
export class GroupMetacontentsResolver {
  @FieldResolver(() => MetacontentList.Connection, { description: "The group's metacontents." })
  metacontents(
    @Root() group: Group,
    @Args(() => MetacontentList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(metacontentsOfGroup, group.id, args);
  }
}
