import {
  changedRecord,
  choice,
  graphqlModule,
  id,
  idOf,
  type Input,
  inputOf,
  nullable,
  numberIn,
  object,
  ownMutation,
  recordMutations,
  text,
} from '../../../graphql/index.js';
import type { Role as RoleName } from '../../../platform/caller.js';
import { DomainError } from '../../../platform/errors.js';
import {
  addMember,
  disableMember,
  enableMember,
  removeMember,
  setRole,
  unlockMember,
  updateUser,
} from './member.changes.service.js';
import { getUser } from './member.service.js';
import { Role, UserList, UserType } from './user.graphql.js';
import { type Member, UserAdd, UserUpdate } from './user.model.js';

const MemberAddInput = inputOf('MemberAddInput', UserAdd, {
  description: 'Fields of a new member.',
  enums: { role: Role },
  descriptions: {
    email: 'E-mail address to sign in with, in any letter case. At most 254 characters.',
    name: 'Full name. 1 to 255 characters. Other companies of the same user do not see it.',
    role: 'What the user may do in the company.',
    timeZone: 'IANA time zone, for example America/Sao_Paulo. Defaults to "UTC".',
  },
});

const UserUpdateInput = inputOf('UserUpdateInput', UserUpdate, {
  description: 'Changes of a user. Absent fields keep their values.',
  isUpdate: true,
});

const USER_ID = id('Global id of the user.');
const CHANGED = { user: changedRecord(UserType) };
/** For administrators; errors name the arguments. */
const BY_ADMIN = { scope: 'admin', within: [] } as const;

/** Errors: `not_found` at `userId`. */
async function memberOf(work: Parameters<typeof getUser>[0], userId: string): Promise<Member> {
  try {
    return await getUser(work, numberIn('User', userId) ?? 0);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
    throw new DomainError('not_found', error.message, { fields: { userId: [error.message] } });
  }
}

const memberAdd = ownMutation('MemberAdd', {
  description:
    'Adds a user to the company. Creates the account if there is none with this e-mail address, and shows its password once. Requires the scope ADMIN.',
  args: { input: object(MemberAddInput, 'Fields of the new member.') },
  payload: {
    user: nullable(object(UserType, 'The new member. Null if none was added.')),
    initialPassword: nullable(
      text(
        'Password of a new user, which is shown only here. Null if none was added, and for a user who has an account already: the password stays what it is.',
      ),
    ),
  },
  scope: 'admin',
  // Made whether or not it is needed.
  prepare: (ctx) => ctx.secrets.newPassword(),
  run: async (work, { input }: { readonly input: Input }, _ctx, { password, hash }) => {
    const { member, isNewAccount } = await addMember(work, input, hash);
    return { user: member, initialPassword: isNewAccount ? password : null };
  },
});

const memberSetRole = ownMutation('MemberSetRole', {
  ...BY_ADMIN,
  description: 'Changes the role of a member; the last administrator stays one. Requires the scope ADMIN.',
  args: { userId: USER_ID, role: choice(Role, 'The new role.') },
  payload: CHANGED,
  run: async (work, { userId, role }: { readonly userId: string; readonly role: RoleName }) => ({
    user: await setRole(work, await memberOf(work, userId), { role }),
  }),
});

const memberRemove = ownMutation('MemberRemove', {
  ...BY_ADMIN,
  description:
    'Ends the access of a user to the company: tokens and subscriptions end at once. The account and other companies of the user are not affected. The last administrator cannot be removed. Requires the scope ADMIN.',
  args: { userId: USER_ID },
  payload: {
    removedId: nullable(id('Global id of the removed user. Null if no member was removed.')),
  },
  run: async (work, { userId }: { readonly userId: string }) => {
    await removeMember(work, await memberOf(work, userId));
    return { removedId: userId };
  },
});

const userUpdate = ownMutation('UserUpdate', {
  description:
    'Changes the name and time zone of a member, as this company sees them. Administrators can change all members, with the scope ADMIN; users themselves, with a token that has the scope WRITE, whatever their role.',
  args: { id: USER_ID, input: object(UserUpdateInput, 'New values.') },
  payload: CHANGED,
  scope: null,
  run: async (work, given: { readonly id: string; readonly input: Input }) => ({
    user: await updateUser(work, await getUser(work, idOf('User', given.id)), given.input),
  }),
});

export const memberMutationsGraphql = graphqlModule(
  ...[memberAdd, memberSetRole, memberRemove, userUpdate],
  recordMutations(UserList, {
    get: getUser,
    changes: {
      userUnlock: {
        description:
          'Lets a user sign in from every network again, after too many wrong passwords. Not for a user of several companies. Requires the scope ADMIN.',
        scope: 'admin',
        run: unlockMember,
      },
      userDisable: {
        description:
          'Ends the access of a user to the company until `userEnable`: tokens do not work, subscriptions end. Other companies of the user are not affected. The last administrator cannot be disabled. Requires the scope ADMIN.',
        scope: 'admin',
        run: disableMember,
      },
      userEnable: {
        description: 'Gives a disabled user access to the company again. Requires the scope ADMIN.',
        scope: 'admin',
        run: enableMember,
      },
    },
  }),
);
