import { Ctx, Field, FieldResolver, Int, ObjectType, Query, registerEnumType, Resolver } from 'type-graphql';

import { mayUse, SCOPES, type Role, type Scope } from '../platform/caller.js';
import { API_SCOPES } from '../resources/access-token/access-token.graphql.js';
import { CompanyType } from '../resources/company/company.graphql.js';
import { companies } from '../resources/company/company.service.js';
import { UserType } from '../resources/user/user.graphql.js';
import { users } from '../resources/user/user.service.js';
import type { GraphqlContext } from '../graphql/execution/context.js';
import { DateTime } from '../graphql/schema/scalars.js';

const ROLES: Readonly<Record<Uppercase<Role>, Role>> = {
  VIEWER: 'viewer',
  OPERATOR: 'operator',
  ADMIN: 'admin',
};
registerEnumType(ROLES, {
  name: 'Role',
  description: 'What a user may do in a company.',
  valuesConfig: {
    VIEWER: { description: 'Reads.' },
    OPERATOR: { description: 'Reads and writes.' },
    ADMIN: { description: 'Reads, writes, and manages users, tokens and the ledger.' },
  },
});

@ObjectType({ simpleResolvers: true, description: "A client's hourly budget of requests, REST included." })
class RateLimit {
  @Field(() => Int, { description: 'Requests an hour.' })
  limit!: number;

  @Field(() => Int, { description: 'Requests left, this one counted.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When the budget is full again.' })
  resetAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'Who asks, and what they may do.' })
class Viewer {
  @Field(() => ROLES, { description: "The user's role in the company." })
  role!: Role;

  @Field(() => [API_SCOPES], {
    description: 'The rights that this token gives: its scopes, as far as the role has them too.',
  })
  scopes!: readonly Scope[];
}

@Resolver(() => Viewer)
export class ViewerResolver {
  @Query(() => Viewer, { description: 'Who asks.' })
  viewer(@Ctx() { caller }: GraphqlContext) {
    return { role: caller.role, scopes: SCOPES.filter((scope) => mayUse(caller, scope)) };
  }

  @FieldResolver(() => UserType, {
    nullable: true,
    description: 'The user whom the token speaks for; null where it speaks for none.',
  })
  user(@Ctx() ctx: GraphqlContext) {
    return ctx.one(users, ctx.caller.userId);
  }

  @FieldResolver(() => CompanyType, { nullable: true, description: 'The company that the token is of.' })
  company(@Ctx() ctx: GraphqlContext) {
    return ctx.one(companies, ctx.caller.companyId);
  }

  @FieldResolver(() => RateLimit, { nullable: true, description: 'The budget; null where none is kept.' })
  rateLimit(@Ctx() ctx: GraphqlContext) {
    return ctx.request.budget;
  }
}
