import { Args, Ctx, Field, FieldResolver, ObjectType, Resolver } from 'type-graphql';

import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { Node } from '../../graphql/schema/node.js';
import { UserList, UserType } from '../user/user.graphql.js';
import { users } from '../user/user.service.js';
import { companies } from './company.service.js';

@ObjectType('Company', {
  implements: Node,
  simpleResolvers: true,
  description: 'Whose terminals these are; callers see their own only.',
})
export class CompanyType extends Node {
  @Field(() => String, { description: 'Name.' })
  name!: string;
}

@Resolver(() => CompanyType)
export class CompanyUsersResolver {
  @FieldResolver(() => UserList.Connection, { description: 'Its members; for administrators.' })
  users(@Args(() => UserList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(users, args, 'admin');
  }
}

@Resolver(() => UserType)
export class UserCompanyResolver {
  @FieldResolver(() => CompanyType, {
    nullable: true,
    description: "The caller's company, of which the user is a member.",
  })
  company(@Ctx() ctx: GraphqlContext) {
    return ctx.one(companies, ctx.caller.companyId);
  }
}
