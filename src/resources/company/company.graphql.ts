import { computed, face, fields, nodesOf, nodeType, nullable, object, text } from '../../graphql/index.js';
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

export const companyFace = face(
  nodesOf(companies),
  fields(CompanyType, {
    users: {
      field: object(UserList.Connection, 'Members of the company.'),
      scope: 'admin',
      Args: UserList.Args,
      resolve: (_company, ctx, args) => ctx.list(users, args, 'admin'),
    },
  }),
  fields(UserType, {
    company: computed(
      nullable(object(CompanyType, 'The company of the token, of which the user is a member.')),
      (_user, ctx) => ctx.one(companies, ctx.caller.companyId),
    ),
  }),
);
