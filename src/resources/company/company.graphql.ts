import { Args, Ctx, FieldResolver, Resolver } from 'type-graphql';

import {
  computed,
  face,
  fields,
  nodesOf,
  nodeType,
  nullable,
  object,
  text,
  type GraphqlContext,
  type ListArgs,
} from '../../graphql/index.js';
import { UserList, UserType } from '../user/user.graphql.js';
import { users } from '../user/user.service.js';
import type { Company } from './company.model.js';
import { companies } from './company.service.js';

export const CompanyType = nodeType<Company>(
  'Company',
  'The owner of a fleet. Clients see only their own company.',
  {
    name: text('Name.'),
  },
);

@Resolver(() => CompanyType)
class CompanyUsers {
  @FieldResolver(() => UserList.Connection, {
    description: 'Members of the company. Requires the scope ADMIN.',
  })
  users(@Args(() => UserList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(users, args, 'admin');
  }
}

export const companyFace = face(
  nodesOf(companies),
  CompanyUsers,
  fields(UserType, {
    company: computed(
      nullable(object(CompanyType, 'The company of the token, of which the user is a member.')),
      (_user, ctx) => ctx.one(companies, ctx.caller.companyId),
    ),
  }),
);
