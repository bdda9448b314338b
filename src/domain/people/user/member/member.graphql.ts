import {
  all,
  choice,
  computed,
  enumeration,
  graphqlModule,
  fields,
  instant,
  listTypes,
  nullable,
  object,
  objectType,
} from '../../../../graphql/index.js';
import type { Role as RoleName } from '../../../../platform/caller.js';
import { CompanyType } from '../../company/company.graphql.js';
import { UserType } from '../user.graphql.js';
import type { Member } from '../user.model.js';
import { memberList } from './member.service.js';

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

export const memberGraphql = graphqlModule(
  fields(MemberList.Record, {
    user: computed(object(UserType, 'The user.'), (member) => member),
  }),
  fields(CompanyType, {
    members: all(MemberList, 'Users with their roles.', { scope: 'admin' }),
  }),
);
