import { Ctx, Query, Resolver } from 'type-graphql';

import {
  choice,
  computed,
  enumeration,
  face,
  fields,
  instant,
  int,
  listOf,
  nullable,
  object,
  objectType,
  type GraphqlContext,
} from '../graphql/index.js';
import { mayUse, SCOPES, type Role as RoleName, type Scope as ScopeName } from '../platform/caller.js';
import { Scope } from '../resources/access-token/access-token.graphql.js';
import { CompanyType } from '../resources/company/company.graphql.js';
import { companies } from '../resources/company/company.service.js';
import { UserType } from '../resources/user/user.graphql.js';
import { users } from '../resources/user/user.service.js';

const Role = enumeration<RoleName>('Role', 'What a user may do in a company.', {
  viewer: 'Read.',
  operator: 'Read and write.',
  admin: 'Read and write, and manage users, tokens and the ledger.',
});

const RateLimit = objectType<NonNullable<GraphqlContext['request']['budget']>>(
  'RateLimit',
  'Quota of requests of a client address, over GraphQL and REST together.',
  {
    limit: int('Requests allowed in a window of one hour.'),
    remaining: int('Requests left in this window, after this one.'),
    resetAt: instant('When the window ends and the quota is full again.'),
  },
);

interface Viewer {
  readonly role: RoleName;
  readonly scopes: readonly ScopeName[];
}

const ViewerType = objectType<Viewer>('Viewer', 'The caller: the token, its user and its company.', {
  role: choice(Role, "The user's role in the company."),
  scopes: listOf(choice(Scope, "Scopes of the token that the user's role allows too.")),
});

@Resolver()
class ViewerQuery {
  @Query(() => ViewerType, { description: 'The caller, and what it may do.' })
  viewer(@Ctx() { caller }: GraphqlContext): Viewer {
    return { role: caller.role, scopes: SCOPES.filter((scope) => mayUse(caller, scope)) };
  }
}

export const viewerFace = face(
  ViewerQuery,
  fields(ViewerType, {
    user: computed(
      nullable(object(UserType, 'User on whose behalf the token acts. Null if it acts for no user.')),
      (_viewer, ctx) => ctx.one(users, ctx.caller.userId),
    ),
    company: computed(nullable(object(CompanyType, 'Company of the token.')), (_viewer, ctx) =>
      ctx.one(companies, ctx.caller.companyId),
    ),
    rateLimit: computed(
      nullable(object(RateLimit, 'Quota of requests. Null if the server has no rate limit.')),
      (_viewer, ctx) => ctx.request.budget,
    ),
  }),
);
