import { z } from 'zod';

import { listResponse, listShape, recordResponse, recordShape, TimestampShape } from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { timestamp } from '../../rest/timestamp.js';
import { SignInInput } from './sign-in/sign-in.model.js';
import type { SignIn } from './sign-in/sign-in.service.js';
import type { User } from './user.model.js';
import { getUser, listUsers } from './user.service.js';

const UserShape = z
  .strictObject({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    sign_in_count: z.int().min(0),
    last_sign_in_at: TimestampShape.nullable(),
    last_sign_in_ip: z.string().nullable(),
    time_zone: z.string().describe('IANA time zone.'),
    updated_at: TimestampShape,
    created_at: TimestampShape,
  })
  .meta({ id: 'User', description: 'A member of the company.' });

function userFields(user: User) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    sign_in_count: user.signInCount,
    last_sign_in_at: user.lastSignInAt === null ? null : timestamp(user.lastSignInAt),
    last_sign_in_ip: user.lastSignInIp,
    time_zone: user.timeZone,
    updated_at: timestamp(user.updatedAt),
    created_at: timestamp(user.createdAt),
  };
}

const TokensShape = z.array(
  z
    .strictObject({
      company_name: z.string(),
      company_id: z.int(),
      api_token: z.string().regex(/^[0-9a-f]{40}$/),
    })
    .meta({ id: 'CompanyToken', description: "The user's API token for one company." }),
);

const readRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    scope: 'admin',
    summary: 'List users',
    paged: true,
    response: listShape('users', 'user', UserShape),
    read: async (work, call) => listResponse('users', 'user', await listUsers(work, call.page), userFields),
  },
  {
    method: 'GET',
    path: '/users/{user_id}',
    scope: 'admin',
    summary: 'Read a user',
    response: recordShape('user', UserShape),
    read: async (work, call) => {
      const user = await getUser(work, call.id('user_id', 'user'));
      return recordResponse('user', userFields(user), user);
    },
  },
];

function tokenRoute(signIn: SignIn): Route {
  return {
    method: 'POST',
    path: '/users/token',
    scope: null,
    summary: 'Obtain API tokens',
    description:
      "The user's token for each company: the same at every call until it is renewed, or not used for 90 days.",
    body: SignInInput,
    response: TokensShape,
    perform: async ({ input, ip, requestId, labelledAsForm }) => {
      const tokens = await signIn(input, { channel: 'api', ip, requestId, labelledAsForm });
      const body = tokens.map(({ companyName, companyId, token }) => ({
        company_name: companyName,
        company_id: companyId,
        api_token: token,
      }));
      return { status: 200, body };
    },
  };
}

/** /v1/users (contract 34). */
export function createUserRoutes(signIn: SignIn): readonly Route[] {
  return [...readRoutes, tokenRoute(signIn)];
}
