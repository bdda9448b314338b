import {
  computed,
  face,
  fields,
  instant,
  int,
  listTypes,
  nodeType,
  nullable,
  queries,
  text,
  type ResolvedField,
  type TypedField,
} from '../../graphql/index.js';
import { demandScope } from '../../platform/caller.js';
import type { User } from './user.model.js';
import { users } from './user.service.js';

type Personal = 'email' | 'signInCount' | 'lastSignInAt' | 'lastSignInIp' | 'timeZone' | 'updatedAt';
type Internal = 'disabledAt' | 'lockedUntil' | 'revision';

export const UserType = nodeType<User, Personal | Internal>('User', 'A person with an account.', {
  name: text('Full name.'),
  createdAt: instant('When the account was created.'),
});

export const UserList = listTypes(users, UserType);

/** A field that only the user and administrators can read; others get the error FORBIDDEN. */
function personal<P extends Personal>(property: P, field: TypedField<User[P]>): ResolvedField<User> {
  const description = `${field.description} Only for administrators and the user.`;
  return computed(nullable({ ...field, description }), (user: User, ctx) => {
    if (user.id !== ctx.caller.userId) demandScope(ctx.caller, 'admin');
    return user[property];
  });
}

const personalFields: Readonly<Record<Personal, ResolvedField<User>>> = {
  email: personal('email', text('E-mail address that the user signs in with.')),
  signInCount: personal('signInCount', int('Number of sign-ins.')),
  lastSignInAt: personal(
    'lastSignInAt',
    nullable(instant('When the user last signed in. Null before the first sign-in.')),
  ),
  lastSignInIp: personal(
    'lastSignInIp',
    nullable(text('IP address of the last sign-in. Null before the first sign-in.')),
  ),
  timeZone: personal('timeZone', text('IANA time zone, for example America/Sao_Paulo.')),
  updatedAt: personal('updatedAt', instant('When the account was last changed or used to sign in.')),
};

export const userFace = face(
  queries(UserList, { scope: 'admin', listDescription: 'All members of the company.' }),
  fields(UserType, personalFields),
);
