import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { MemberListQuery, Role } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Ago, Badge, Copyable } from '../../ui/facts';
import { roleNames } from '../account/words';
import { MemberDialog } from './member-dialog';
import { words } from './words';

const MEMBERS = graphql(`
  query MemberList($first: Int!, $after: String, $filter: MemberFilter, $orderBy: MemberOrder, $count: Boolean!) {
    viewer {
      company {
        members(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
          totalCount @include(if: $count)
          pageInfo { hasNextPage endCursor }
          nodes {
            id
            role
            disabledAt
            lockedUntil
            lastSignInAt
            user { id name email }
          }
        }
      }
    }
  }
`);

const ADD = graphql(`
  mutation MemberAdd($input: MemberAddInput!) {
    memberAdd(input: $input) {
      initialPassword
      userErrors { code message path rule params }
    }
  }
`);

export type Member = NonNullable<
  NonNullable<MemberListQuery['viewer']['company']>['members']
>['nodes'][number];

const SOURCE = {
  document: MEMBERS,
  connection: ({ viewer }: MemberListQuery) => viewer.company?.members,
  follows: ['MEMBERSHIP', 'USER'],
} as const;

/** People of the company; administrators add them, set their roles, unlock and remove them. */
export default function MembersPage(): ReactNode {
  const text = useTexts(words);
  const roles = useTexts(roleNames);
  const [isAdding, setAdding] = useState(false);
  const [managed, setManaged] = useState<Member | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  const options = (['VIEWER', 'OPERATOR', 'ADMIN'] as const).map((value) => ({ value, label: roles[value] }));
  return (
    <>
      <ListPage<MemberListQuery, Member>
        id="members"
        label={text.members}
        source={SOURCE}
        rowName={({ user }) => user.name}
        columns={[
          { id: 'name', title: text.name, width: 180, render: ({ user }) => user.name },
          { id: 'email', title: text.email, width: 200, render: ({ user }) => user.email },
          { id: 'role', title: text.role, width: 120, render: ({ role }) => roles[role] },
          { id: 'state', title: text.state, width: 110, render: (member) => <State member={member} /> },
          {
            id: 'lastSignIn',
            title: text.lastSignIn,
            width: 140,
            render: (row) => <Ago at={row.lastSignInAt} />,
          },
          {
            id: 'manage',
            title: text.manage,
            width: 110,
            render: (member) => <Button onPress={() => setManaged(member)}>{text.manage}</Button>,
          },
        ]}
        filters={[
          { id: 'email', title: text.email, kind: 'text' },
          { id: 'role', title: text.role, kind: 'choice', options },
        ]}
        actions={
          <Button icon="add" look="primary" onPress={() => setAdding(true)}>
            {text.add}
          </Button>
        }
        empty={text.noMembers}
      />
      {isAdding && (
        <CreateDialog
          title={text.add}
          draft="member"
          empty={EMPTY}
          fields={[
            { name: 'name', label: text.name },
            { name: 'email', label: text.email, type: 'email' },
            { name: 'role', label: text.role, options },
          ]}
          document={ADD}
          changes={['USER']}
          variables={(input) => ({ input })}
          submit={text.add}
          onCreated={({ initialPassword }) => setPassword(initialPassword)}
          onClose={() => setAdding(false)}
        />
      )}
      {managed && <MemberDialog member={managed} options={options} onClose={() => setManaged(null)} />}
      <Dialog title={text.password} isOpen={password !== null} onClose={() => setPassword(null)}>
        <div className="stack">
          <p>{text.added}</p>
          <Copyable label={text.password} value={password ?? ''} />
        </div>
      </Dialog>
    </>
  );
}

const EMPTY: { readonly name: string; readonly email: string; readonly role: Role } = {
  name: '',
  email: '',
  role: 'OPERATOR',
};

function State({ member }: { readonly member: Member }): ReactNode {
  const text = useTexts(words);
  if (member.disabledAt) return <Badge tone="bad">{text.disabled}</Badge>;
  if (member.lockedUntil) return <Badge tone="warning">{text.locked}</Badge>;
  return <Badge tone="good">{text.valid}</Badge>;
}
