import type { ReactNode } from 'react';

import { fragment, graphql, mutate, mutations, useQuery } from '../../api';
import { useSession } from '../../app/session';
import type { InvitationsQuery, MemberRowFragment, Role } from '../../gql/graphql';
import type { RecordActions } from '../../record/bulk';
import { ActionButton } from '../../record/dialog-button';
import { ListPage } from '../../table/list-page';
import { listIn } from '../../table/rows';
import { Shown, SmallTable, State } from '../../table/shown';
import { useFormat, useTexts } from '../../text';
import { Card } from '../../ui/page';
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

const INVITATIONS = graphql(`
  query Invitations {
    invitations { email name role isMember invitedAt expiresAt }
  }
`);

type Invitations = NonNullable<InvitationsQuery['invitations']>;

function stateOf({ disabledAt, lockedUntil, lastSignInAt }: MemberRowFragment, isInvited: boolean): string {
  if (disabledAt) return 'DISABLED';
  if (lockedUntil) return 'LOCKED';
  return isInvited ? 'INVITED' : lastSignInAt === null ? 'NOT_SIGNED_IN' : 'ACTIVE';
}

/** People of the company; administrators add them, set their roles, unlock, disable and remove them. */
export default function MembersPage(): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const format = useFormat();
  const { company } = useSession().viewer;
  const { data } = useQuery(INVITATIONS, {}, ['INVITATION', 'MEMBERSHIP', 'USER']);
  const invitations = data?.invitations ?? [];
  const invited = new Map(invitations.map((each) => [each.email, each]));
  const until = (email: string | null): string => {
    const { expiresAt = null } = invited.get(email ?? '') ?? {};
    return expiresAt === null ? '' : text.until(format.time(expiresAt));
  };
  return (
    <ListPage
      id="members"
      text={{ ...text, ...roles }}
      source={listIn(company?.id ?? '', MEMBER, 'MEMBERSHIP', 'USER')}
      columns={[
        { id: 'name', render: ({ user }) => user.name },
        { id: 'email', render: ({ user }) => user.email },
        'role',
        {
          id: 'state',
          width: 170,
          render: (member) => (
            <>
              <State of={stateOf(member, invited.has(member.user.email ?? ''))} />{' '}
              <small className="faint">{until(member.user.email)}</small>
            </>
          ),
        },
        'lastSignInAt',
      ]}
      rowActions={[
        {
          id: 'sendAgain',
          icon: 'send',
          isFor: ({ user }) => invited.has(user.email ?? ''),
          change: ({ user }) => mutate(mutations.passwordReset, { userId: user.id }),
        },
        ...ACTIONS,
      ]}
      filters={['email', 'role']}
      create={{
        title: text.inviteMember,
        fields: ['name', 'email', { name: 'role', initial: 'OPERATOR' }],
        document: mutations.memberInvite,
        submit: text.inviteMember,
        done: ({ askedEmail }) => (askedEmail === null ? text.saved : text.asked(askedEmail)),
        help: useNoMail(),
      }}
    >
      <Asked rows={invitations.filter(({ isMember }) => !isMember)} />
    </ListPage>
  );
}

/** People with an account elsewhere who were asked and have not answered; nothing if there are none. */
function Asked({ rows }: { readonly rows: Invitations }): ReactNode {
  const text = useText();
  if (rows.length === 0) return null;
  return (
    <Card title={text.invitations}>
      <p className="faint">{text.invitationsHelp}</p>
      <SmallTable
        rows={rows}
        rowKey={({ email }) => email}
        columns={[
          'name',
          'email',
          { id: 'role', render: (row) => <Shown name="role" record={row} /> },
          'invitedAt',
          {
            id: 'actions',
            title: text.actions,
            render: ({ email, name, role }) => (
              <span className="buttons">
                <ActionButton
                  label={text.sendAgain}
                  document={mutations.memberInvite}
                  variables={{ input: { email, name, role } }}
                  done={text.sendAgainDone}
                />
                <ActionButton
                  label={text.withdraw}
                  isDangerous
                  help={text.withdrawHelp(email)}
                  document={mutations.invitationWithdraw}
                  variables={{ email }}
                />
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}
