import * as g from '../../../graphql/index.js';
import {
  type Caller,
  mayUse,
  type Role as RoleName,
  type Scope as ScopeName,
  SCOPES,
} from '../../../platform/requests.js';
import { ApiTokenList, Scope } from '../access-token/access-token.graphql.js';
import { apiTokensOfUser } from '../access-token/access-token.service.js';
import { CompanyType } from '../company/company.graphql.js';
import { companies } from '../company/company.service.js';
import { Role, UserType } from './user.graphql.js';
import { users } from './user.service.js';

const RateLimit = g.objectType<NonNullable<g.GraphqlContext['request']['budget']>, 'retryAfter'>(
  'RateLimit',
  'Quota of requests over GraphQL and REST together: of a client address, or of a user in all sessions.',
  {
    limit: g.int('Requests allowed in a window of one hour.'),
    remaining: g.int('Requests left in this window, after this one.'),
    resetAt: g.instant('When the window ends and the quota is full again.'),
  },
);

interface Viewer {
  readonly role: RoleName;
  readonly scopes: readonly ScopeName[];
}

export const ViewerType = g.objectType<Viewer>('Viewer', 'The caller: token or session, user and company.', {
  role: g.choice(Role, "The user's role in the company."),
  scopes: g.choice.list(Scope, "Scopes of the token or session that the user's role allows too."),
});

export const viewerOf = (caller: Caller): Viewer => ({
  role: caller.role,
  scopes: SCOPES.filter((scope) => mayUse(caller, scope)),
});

const viewer = g.query('viewer', {
  field: g.object(ViewerType, 'The caller, and what it may do.'),
  resolve: (_source, { caller }) => viewerOf(caller),
});

export const viewerGraphql = g.graphqlModule(
  viewer,
  g.fields(ViewerType, {
    apiTokens: {
      field: g.object(
        ApiTokenList.Connection,
        'Tokens of the user for the company, expired and revoked ones included. Users can renew and revoke their own.',
      ),
      args: ApiTokenList.args,
      resolve: (_viewer, ctx, args, info) =>
        ctx.children(apiTokensOfUser, ctx.caller.userId, args, info, null),
      searches: g.searchesOf(apiTokensOfUser),
    },
    user: g.computed(g.object.orNull(UserType, 'User on whose behalf the token acts.'), (_viewer, ctx) =>
      ctx.one(users, ctx.caller.userId),
    ),
    company: g.computed(g.object.orNull(CompanyType, 'Company of the token.'), (_viewer, ctx) =>
      ctx.one(companies, ctx.caller.companyId),
    ),
    rateLimit: g.computed(
      g.object.orNull(RateLimit, 'Quota of requests. Null if the server has no rate limit.'),
      (_viewer, ctx) => ctx.request.budget,
    ),
  }),
);
