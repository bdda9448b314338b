import * as g from '../../../graphql/index.js';
import {
  type Channel as ChannelName,
  requireScope,
  mayUse,
  type Role as RoleName,
} from '../../../platform/requests.js';
import type { Audit } from '../../../platform/validate.js';
import { ApiTokenList, ApiTokenType } from '../access-token/access-token.graphql.js';
import { apiTokensOfUser } from '../access-token/access-token.service.js';
import { CompanyType } from '../company/company.graphql.js';
import { companies } from '../company/company.service.js';
import * as members from './member.service.js';
import { type Member, UserUpdate } from './user.model.js';
import { getUser, memberList, users } from './user.service.js';

type Personal = 'email' | 'signInCount' | 'lastSignInAt' | 'lastSignInIp' | 'timeZone' | 'updatedAt';
type Internal = 'role' | 'disabledAt' | 'isDisabledByOperator' | 'lockedUntil' | 'revision';

export const UserType = g.nodeType<Member, Personal | Internal>('User', 'A person with an account.', {
  name: g.text('Full name.'),
  createdAt: g.instant('When the user became a member of the company.'),
});

export const UserList = g.listTypes(users, UserType);

const PERSONAL: g.FieldsOf<Pick<Member, Personal>, never> = {
  email: g.text('E-mail address that the user signs in with.'),
  signInCount: g.int('Number of sign-ins since the user is a member.'),
  lastSignInAt: g.instant.orNull('When the user last signed in. Null before the first sign-in.'),
  lastSignInIp: g.text.orNull('IP address of the last sign-in. Null before the first sign-in.'),
  timeZone: g.text('IANA time zone, for example America/Sao_Paulo.'),
  updatedAt: g.instant('When the member was last changed or signed in.'),
};

/** A field that only the user and administrators can read; others get the error FORBIDDEN. */
function personal([property, field]: [string, g.AnyField]): [string, g.ResolvedField<Member>] {
  const description = `${field.description} Only for administrators and the user.`;
  const resolved: g.ResolvedField<Member> = {
    field: g.nullable({ ...field, description }),
    resolve: (user, { caller }) => {
      // Asked first, so that administrators share what is rendered for one of them.
      if (!mayUse(caller, 'admin') && user.id !== caller.userId) requireScope(caller, 'admin');
      return user[property as Personal];
    },
    planned: { kind: 'column', property, scope: 'admin' },
  };
  return [property, resolved];
}

export const Role = g.enumeration<RoleName>('Role', 'What a user may do in a company.', {
  viewer: 'Read.',
  operator: 'Read and write.',
  admin: 'Read and write, and manage users, tokens and the ledger.',
});

type Shown = 'role' | 'disabledAt' | 'lockedUntil' | 'lastSignInAt';

const MemberType = g.nodeType<Member, Exclude<keyof Member, Shown | 'id'>>(
  'Member',
  'A user with role and access in the company.',
  {
    role: g.choice(Role, 'What the user may do in the company.'),
    disabledAt: g.instant.orNull('When the access to the company was disabled. Null if the user has access.'),
    lockedUntil: g.instant.orNull(
      'Until then the password is refused from some networks, after too many wrong passwords. A network from which the user has signed in before is affected only by wrong passwords from there. Tokens stay valid. May be in the past. Null if there is no lock.',
    ),
    lastSignInAt: g.instant.orNull(
      'When the user last signed in, as a member. Null before the first sign-in.',
    ),
  },
);

const MemberList = g.listTypes(memberList, MemberType, { role: Role });

const UserUpdateInput = g.inputOf('UserUpdateInput', UserUpdate, {
  description: 'Changes of a user. Absent fields keep their values.',
  isUpdate: true,
});

const USER_ID = g.id('Global id of the user.');
export const MEMBER = g.object.orNull(MemberType, 'The same user as a member. Null if nothing was changed.');
const CHANGED = { user: g.changedRecord(UserType), member: MEMBER };
/** For administrators; errors name the arguments. */
const BY_ADMIN = { scope: 'admin', within: [] } as const;

export const memberAt = g.recordAt('userId', 'User', getUser);

const memberSetRole = g.ownMutation('MemberSetRole', {
  ...BY_ADMIN,
  description: 'Changes the role of a member; the last administrator stays one. Requires the scope ADMIN.',
  args: { userId: USER_ID, role: g.choice(Role, 'The new role.') },
  payload: CHANGED,
  run: async (work, { userId, role }) => {
    const member = await members.setRole(work, await memberAt(work, userId), { role });
    return { user: member, member };
  },
});

const memberRemove = g.ownMutation('MemberRemove', {
  ...BY_ADMIN,
  description:
    'Ends the access of a user to the company: tokens and subscriptions end at once. The account and other companies of the user are not affected. The last administrator cannot be removed. Requires the scope ADMIN.',
  args: { userId: USER_ID },
  payload: { removedId: g.id.orNull('Global id of the removed user. Null if no member was removed.') },
  run: async (work, { userId }) => {
    await members.removeMember(work, await memberAt(work, userId));
    return { removedId: userId };
  },
});

const userUpdate = g.ownMutation('UserUpdate', {
  description:
    'Changes the name and time zone of a member, as this company sees them. Administrators can change all members, with the scope ADMIN; users themselves, with a token that has the scope WRITE, whatever their role.',
  args: { id: USER_ID, input: g.object(UserUpdateInput, 'New values.') },
  payload: CHANGED,
  scope: null,
  run: async (work, given) => {
    const user = await getUser(work, g.idOf('User', given.id));
    const member = await members.updateUser(work, user, given.input);
    return { user: member, member };
  },
});

export const userGraphql = g.graphqlModule(
  memberSetRole,
  memberRemove,
  userUpdate,
  g.recordMutations(UserList, {
    get: getUser,
    sameRecord: { member: MEMBER },
    changes: {
      userUnlock: {
        description:
          'Lets a user sign in from every network again, after too many wrong passwords. Not for a user of several companies. Requires the scope ADMIN.',
        scope: 'admin',
        run: members.unlockMember,
      },
      userDisable: {
        description:
          'Ends the access of a user to the company until `userEnable`: tokens do not work, subscriptions end. Other companies of the user are not affected. The last administrator cannot be disabled. Requires the scope ADMIN.',
        scope: 'admin',
        run: members.disableMember,
      },
      userEnable: {
        description: 'Gives a disabled user access to the company again. Requires the scope ADMIN.',
        scope: 'admin',
        run: members.enableMember,
      },
    },
  }),
  g.nodesOf(memberList, 'admin', 'membership'),
  g.queries(UserList, { scope: 'admin', listDescription: 'All members of the company.' }),
  g.fields(UserType, {
    ...Object.fromEntries(Object.entries(PERSONAL).map(personal)),
    company: g.computed(
      g.object.orNull(CompanyType, 'The company of the token, of which the user is a member.'),
      (_user, ctx) => ctx.one(companies, ctx.caller.companyId),
    ),
    apiTokens: g.many(ApiTokenList, apiTokensOfUser, 'Tokens of the user for the company.', {
      scope: 'admin',
    }),
  }),
  g.fields(ApiTokenType, { user: g.one(UserList, 'userId', 'User on whose behalf the token acts.') }),
  g.fields(MemberList.Record, { user: g.derived(g.object(UserType, 'The user.'), (member) => member) }),
  g.fields(CompanyType, {
    users: g.all(UserList, 'Members of the company.', { scope: 'admin' }),
    members: g.all(MemberList, 'Users with their roles.', { scope: 'admin' }),
  }),
);

export const Channel = g.enumeration<ChannelName>('Channel', 'Interface through which a change was made.', {
  api: 'REST, GraphQL with a token (over HTTP, sockets or streams), or the command line.',
  interface: 'A console that people work in.',
});

const AUDITED = {
  revision: g.int(
    'Starts at 1 and grows with each change. Pass it as `ifMatch` to change the record only as it is now.',
  ),
  createdAt: g.instant('When the record was created.'),
  updatedAt: g.instant('When the record was last changed; equals `createdAt` until then.'),
  createdVia: g.choice(Channel, 'Interface through which the record was created.'),
};

export const auditedTypes = new Map<string, g.ClassType<Audit & { readonly id: number }>>();

/**
 * A node type with audit fields, for records of type `T`. `Hidden` names properties without a field. The history of
 * records that are not followed is for administrators only, in the ledger.
 */
export function auditedType<T extends Audit & { readonly id: number }, Hidden extends keyof T = never>(
  name: string,
  description: string,
  shown: g.FieldsOf<T, 'id' | keyof Audit | Hidden>,
  isFollowed = true,
): g.ClassType<T> {
  const Type = g.nodeType<T, keyof Audit | Hidden>(name, description, { ...AUDITED, ...shown });
  g.fields<Audit>(Type, {
    createdBy: g.one(
      UserList,
      'createdBy',
      'User who created the record. Null if that user is no longer a member.',
    ),
  });
  if (isFollowed) auditedTypes.set(name, Type);
  return Type;
}
