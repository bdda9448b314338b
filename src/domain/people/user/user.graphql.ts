import {
  all,
  choice,
  computed,
  enumeration,
  fields,
  graphqlModule,
  instant,
  int,
  listTypes,
  many,
  nodeType,
  nullable,
  object,
  objectType,
  one,
  queries,
  type ResolvedField,
  text,
  type TypedField,
} from '../../../graphql/index.js';
import { demandScope, mayUse, type Role as RoleName } from '../../../platform/caller.js';
import { ApiTokenList, ApiTokenType } from '../access-token/access-token.graphql.js';
import { apiTokensOfUser } from '../access-token/access-token.service.js';
import { CompanyType } from '../company/company.graphql.js';
import { companies } from '../company/company.service.js';
import { memberList, users } from './member.service.js';
import type { Member } from './user.model.js';

type Personal = 'email' | 'signInCount' | 'lastSignInAt' | 'lastSignInIp' | 'timeZone' | 'updatedAt';
type Internal = 'role' | 'disabledAt' | 'isDisabledByOperator' | 'lockedUntil' | 'revision';

export const UserType = nodeType<Member, Personal | Internal>('User', 'A person with an account.', {
  name: text('Full name.'),
  createdAt: instant('When the user became a member of the company.'),
});

export const UserList = listTypes(users, UserType);

/** A field that only the user and administrators can read; others get the error FORBIDDEN. */
function personal<P extends Personal>(property: P, field: TypedField<Member[P]>): ResolvedField<Member> {
  const description = `${field.description} Only for administrators and the user.`;
  const resolved = computed(nullable({ ...field, description }), (user: Member, ctx) => {
    const { caller } = ctx;
    // Asked first, so that administrators share what is rendered for one of them.
    if (!mayUse(caller, 'admin') && user.id !== caller.userId) demandScope(caller, 'admin');
    return user[property];
  });
  return { ...resolved, planned: { kind: 'column', property, scope: 'admin' } };
}

const personalFields: Readonly<Record<Personal, ResolvedField<Member>>> = {
  email: personal('email', text('E-mail address that the user signs in with.')),
  signInCount: personal('signInCount', int('Number of sign-ins since the user is a member.')),
  lastSignInAt: personal(
    'lastSignInAt',
    nullable(instant('When the user last signed in. Null before the first sign-in.')),
  ),
  lastSignInIp: personal(
    'lastSignInIp',
    nullable(text('IP address of the last sign-in. Null before the first sign-in.')),
  ),
  timeZone: personal('timeZone', text('IANA time zone, for example America/Sao_Paulo.')),
  updatedAt: personal('updatedAt', instant('When the member was last changed or signed in.')),
};

export const Role = enumeration<RoleName>('Role', 'What a user may do in a company.', {
  viewer: 'Read.',
  operator: 'Read and write.',
  admin: 'Read and write, and manage users, tokens and the ledger.',
});

type Shown = 'role' | 'disabledAt' | 'lockedUntil' | 'lastSignInAt';

const MemberType = objectType<Member, Exclude<keyof Member, Shown>>(
  'Member',
  'A user with role and access in the company.',
  {
    role: choice(Role, 'What the user may do in the company.'),
    disabledAt: nullable(
      instant('When the access to the company was disabled. Null if the user has access.'),
    ),
    lockedUntil: nullable(
      instant(
        'Until then the password is refused from some networks, after too many wrong passwords. A network from which the user has signed in before is affected only by wrong passwords from there. Tokens stay valid. May be in the past. Null if there is no lock.',
      ),
    ),
    lastSignInAt: nullable(
      instant('When the user last signed in, as a member. Null before the first sign-in.'),
    ),
  },
);

const MemberList = listTypes(memberList, MemberType, { role: Role });

export const userGraphql = graphqlModule(
  queries(UserList, { scope: 'admin', listDescription: 'All members of the company.' }),
  fields(UserType, {
    ...personalFields,
    company: computed(
      nullable(object(CompanyType, 'The company of the token, of which the user is a member.')),
      (_user, ctx) => ctx.one(companies, ctx.caller.companyId),
    ),
    apiTokens: many(ApiTokenList, apiTokensOfUser, 'id', 'Tokens of the user for the company.', {
      scope: 'admin',
    }),
  }),
  fields(ApiTokenType, { user: one(UserList, 'userId', 'User on whose behalf the token acts.') }),
  fields(MemberList.Record, { user: computed(object(UserType, 'The user.'), (member) => member) }),
  fields(CompanyType, {
    users: all(UserList, 'Members of the company.', { scope: 'admin' }),
    members: all(MemberList, 'Users with their roles.', { scope: 'admin' }),
  }),
);
