import { z } from 'zod';

import { byId, fieldsOf, resourceRoutes, type Route, TimestampShape } from '../../../rest/index.js';
import type { SignIn } from './sign-in.service.js';
import { type Member, SignInInput } from './user.model.js';
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

const TokensShape = z.array(
  z
    .strictObject({
      company_name: z.string(),
      company_id: z.int(),
      api_token: z.string().regex(/^[0-9a-f]{40}$/),
    })
    .meta({ id: 'CompanyToken', description: "The user's API token for one company." }),
);

/** /v1/users (contract 34). */
export const createUserRoutes = (signIn: SignIn): readonly Route[] => [...userRoutes, tokenRoute(signIn)];

const userRoutes = resourceRoutes<Member>({
  path: '/users',
  name: 'user',
  key: byId('user_id', 'user', getUser),
  fields: fieldsOf(UserShape).from<Member>({
    role: 'omitted',
    disabledAt: 'omitted',
    isDisabledByOperator: 'omitted',
    lockedUntil: 'omitted',
  }),
  list: { summary: 'List users', scope: 'admin', handle: listUsers },
  read: { summary: 'Read a user', scope: 'admin' },
});

function tokenRoute(signIn: SignIn): Route {
  return {
    method: 'POST',
    path: '/users/token',
    scope: null,
    summary: 'Obtain API tokens',
    description:
      "The user's token for each company. It stays the same until it is renewed, or unused for 90 days.",
    body: SignInInput,
    response: TokensShape,
    perform: async ({ input, ip, requestId, labelledAsForm }) => {
      const tokens = await signIn(input, { channel: 'api', ip, requestId, labelledAsForm });
      const body = tokens.map(({ companyName, companyId, token }) => ({
        company_name: companyName,
        company_id: companyId,
        api_token: token,
      }));
      return { body };
    },
  };
}
