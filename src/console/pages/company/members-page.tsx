import { useState, type ReactNode } from 'react';

import { graphql, mutate, mutations } from '../../api';
import type { MemberListQuery, Role } from '../../gql/graphql';
import type { RecordActions } from '../../record/bulk';
import { creating } from '../../record/dialog-button';
import { ListPage } from '../../table/list-page';
import { listIn } from '../../table/rows';
import { type Option, optionsOf, useTexts } from '../../text';
import { SecretDialog } from '../../ui/dialog';
import { Badge } from '../../ui/facts';
import { roleNames } from '../account/words';
import { useText } from './words';

const MEMBERS = graphql(`
  query MemberList(
    $first: Int!, $after: String, $filter: MemberFilter, $orderBy: MemberOrder, $count: Boolean!
  ) {
    viewer {
      company {
        members(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
          totalCount @include(if: $count)
          pageInfo { hasNextPage endCursor }
          nodes { id role disabledAt lockedUntil lastSignInAt user { id name email } }
        }
      }
    }
  }
`);

type Company = NonNullable<MemberListQuery['viewer']['company']>;
type Member = NonNullable<Company['members']>['nodes'][number];

/** People of the company; administrators add them, set their roles, unlock, disable and remove them. */
export default function MembersPage(): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const [links, setLinks] = useState<readonly string[]>([]);
  const show = (link: string | null): void => {
    if (link !== null) setLinks((before) => [...before, new URL(link, location.origin).href]);
  };
  const options = optionsOf(roles, ['VIEWER', 'OPERATOR', 'ADMIN']);
  return (
    <>
      <ListPage
        id="members"
        source={listIn(MEMBERS, ['MEMBERSHIP', 'USER'])}
        rowName={({ user }) => user.name}
        columns={[
          { id: 'name', title: text.name, width: 180, render: ({ user }) => user.name },
          { id: 'email', title: text.email, width: 200, render: ({ user }) => user.email },
          { id: 'role', title: text.role, width: 120, render: ({ role }) => roles[role] },
          { id: 'state', title: text.state, width: 110, render: (member) => <State member={member} /> },
          { id: 'lastSignInAt', title: text.lastSignIn, width: 140, kind: 'ago' },
        ]}
        rowActions={useActions(options, show)}
        filters={[
          { id: 'email', title: text.email, kind: 'text' },
          { id: 'role', title: text.role, kind: 'choice', options },
        ]}
        create={creating({
          title: text.inviteMember,
          draft: 'member',
          empty: { name: '', email: '', role: 'OPERATOR' },
          fields: [
            { name: 'name', label: text.name },
            { name: 'email', label: text.email, type: 'email' },
            { name: 'role', label: text.role, options },
          ],
          document: mutations.memberInvite,
          submit: text.inviteMember,
          onCreated: (payload) => show(payload.link),
        })}
        empty={text.noMembers}
      />
      <SecretDialog
        label={text.passwordLink}
        secret={links.length > 0 ? links.join('\n') : null}
        onClose={() => setLinks([])}
      />
    </>
  );
}

/** Actions of administrators on members. */
function useActions(
  options: readonly Option<Role>[],
  show: (link: string | null) => void,
): RecordActions<Member, { readonly role: Role; readonly removePasskeys: boolean }> {
  const text = useText();
  return {
    nameOf: ({ user }) => user.name,
    empty: { role: 'OPERATOR', removePasskeys: false },
    actions: [
      {
        name: text.setRole,
        icon: 'people',
        done: text.saved,
        fields: [{ name: 'role', label: text.role, options }],
        change: ({ user }, { role }) => mutate(mutations.memberSetRole, { userId: user.id, role }),
      },
      {
        name: text.resetPassword,
        icon: 'key',
        done: text.passwordReset,
        effect: text.passwordResetHelp,
        fields: [{ name: 'removePasskeys', label: text.removePasskeys, isFlag: true }],
        change: async ({ user }, { removePasskeys }) => {
          const payload = await mutate(mutations.passwordReset, { userId: user.id, removePasskeys });
          show(payload.link);
          return payload;
        },
      },
      {
        name: text.unlock,
        icon: 'key',
        done: text.saved,
        isFor: ({ lockedUntil }) => lockedUntil !== null,
        change: ({ user }) => mutate(mutations.userUnlock, { id: user.id }),
      },
      {
        name: text.disable,
        icon: 'close',
        done: text.disabled,
        isFor: ({ disabledAt }) => disabledAt === null,
        change: ({ user }) => mutate(mutations.userDisable, { id: user.id }),
      },
      {
        name: text.enable,
        icon: 'check',
        done: text.enabled,
        isFor: ({ disabledAt }) => disabledAt !== null,
        change: ({ user }) => mutate(mutations.userEnable, { id: user.id }),
      },
      {
        name: text.removeMember,
        icon: 'remove',
        done: text.removed,
        isDangerous: true,
        effect: text.removeHelp,
        change: ({ user }) => mutate(mutations.memberRemove, { userId: user.id }),
      },
    ],
  };
}

function State({ member }: { readonly member: Member }): ReactNode {
  const text = useText();
  if (member.disabledAt) return <Badge tone="bad">{text.disabled}</Badge>;
  if (member.lockedUntil) return <Badge tone="warning">{text.locked}</Badge>;
  return <Badge tone="good">{text.valid}</Badge>;
}
