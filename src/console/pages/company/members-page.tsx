import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import { useSession } from '../../app/session';
import type { MemberRowFragment, Role } from '../../gql/graphql';
import type { RecordActions } from '../../record/bulk';
import { ListPage } from '../../table/list-page';
import { listIn } from '../../table/rows';
import { State } from '../../table/shown';
import { useTexts } from '../../text';
import { useNoMail } from '../../ui/words';
import { roleNames } from '../account/words';
import { useText } from './words';

const MEMBER = fragment(`
  fragment MemberRow on Member {
    id role disabledAt lockedUntil lastSignInAt
    user { id name email }
  }
`);

/** Actions of administrators on members. */
const ACTIONS: RecordActions<MemberRowFragment> = [
  {
    id: 'setRole',
    icon: 'people',
    fields: [{ name: 'role', initial: 'OPERATOR' }],
    change: ({ user }, { role }: { readonly role: Role }) =>
      mutate(mutations.memberSetRole, { userId: user.id, role }),
  },
  {
    id: 'resetPassword',
    icon: 'key',
    fields: [{ name: 'removePasskeys', kind: 'flag' }],
    change: ({ user }, input: object) => mutate(mutations.passwordReset, { userId: user.id, ...input }),
  },
  {
    id: 'unlock',
    icon: 'key',
    isFor: ({ lockedUntil }) => lockedUntil !== null,
    change: ({ user }) => mutate(mutations.userUnlock, { id: user.id }),
  },
  {
    id: 'disable',
    icon: 'close',
    isFor: ({ disabledAt }) => disabledAt === null,
    change: ({ user }) => mutate(mutations.userDisable, { id: user.id }),
  },
  {
    id: 'enable',
    icon: 'check',
    isFor: ({ disabledAt }) => disabledAt !== null,
    change: ({ user }) => mutate(mutations.userEnable, { id: user.id }),
  },
  {
    id: 'removeMember',
    icon: 'remove',
    isDangerous: true,
    change: ({ user }) => mutate(mutations.memberRemove, { userId: user.id }),
  },
];

const stateOf = ({ disabledAt, lockedUntil }: MemberRowFragment): string =>
  disabledAt ? 'DISABLED' : lockedUntil ? 'LOCKED' : 'ACTIVE';

/** People of the company; administrators add them, set their roles, unlock, disable and remove them. */
export default function MembersPage(): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const { company } = useSession().viewer;
  return (
    <ListPage
      id="members"
      text={{ ...text, ...roles }}
      source={listIn(company?.id ?? '', MEMBER, 'MEMBERSHIP', 'USER')}
      columns={[
        { id: 'name', render: ({ user }) => user.name },
        { id: 'email', render: ({ user }) => user.email },
        'role',
        { id: 'state', render: (member) => <State of={stateOf(member)} /> },
        'lastSignInAt',
      ]}
      rowActions={ACTIONS}
      filters={['email', 'role']}
      create={{
        title: text.inviteMember,
        fields: ['name', 'email', { name: 'role', initial: 'OPERATOR' }],
        document: mutations.memberInvite,
        submit: text.inviteMember,
        done: ({ askedEmail }) => (askedEmail === null ? text.saved : text.asked(askedEmail)),
        help: useNoMail(),
      }}
    />
  );
}
