import { Args, Ctx, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { Node } from '../../graphql/schema/node.js';
import { DateTime } from '../../graphql/schema/scalars.js';
import { demandScope } from '../../platform/caller.js';
import type { User } from './user.model.js';
import { users } from './user.service.js';

@ObjectType('User', {
  implements: Node,
  simpleResolvers: true,
  description: 'A person who works for companies.',
})
export class UserType extends Node {
  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => DateTime, { description: 'When the user was created.' })
  createdAt!: Date;
}

export const UserList = listTypes(users, UserType);

/** Shows it to administrators and to the user; FORBIDDEN for everybody else. */
function personal<T>(ctx: GraphqlContext, user: User, value: T): T {
  if (user.id !== ctx.caller.userId) demandScope(ctx.caller, 'admin');
  return value;
}

@Resolver(() => UserType)
export class UserResolver {
  @Query(() => UserType, { nullable: true, description: 'A member of the company; for administrators.' })
  user(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(users, keys, {}, 'admin');
  }

  @Query(() => UserList.Connection, { description: 'Members of the company; for administrators.' })
  users(@Args(() => UserList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(users, args, 'admin');
  }
}

/** Fields that only administrators and the user itself may see. */
@Resolver(() => UserType)
export class UserPersonalResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'E-mail address; for administrators and the user.',
  })
  email(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.email);
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'How often the user signed in; for administrators and the user.',
  })
  signInCount(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.signInCount);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When the user last signed in; for administrators and the user.',
  })
  lastSignInAt(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.lastSignInAt);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'From which address the user last signed in; for administrators and the user.',
  })
  lastSignInIp(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.lastSignInIp);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'IANA time zone; for administrators and the user.',
  })
  timeZone(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.timeZone);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When the user last changed or signed in; for administrators and the user.',
  })
  updatedAt(@Root() user: User, @Ctx() ctx: GraphqlContext) {
    return personal(ctx, user, user.updatedAt);
  }
}
