import { lazy, Suspense, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { MemberListQuery, Role } from '../../gql/graphql';
import { CreateDialog } from '../../record/create-dialog';
import { ListPage } from '../../table/list-page';
import { optionsOf, useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Badge } from '../../ui/facts';
import { roleNames } from '../account/words';
import { useText } from './words';

const MemberDialog = lazy(() => import('./member-dialog'));
const SecretDialog = lazy(() => import('../../ui/secret-dialog'));

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

/** People of the company; administrators add them, set their roles, unlock and remove them. */
export default function MembersPage(): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const [managed, setManaged] = useState<Member | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  const options = optionsOf(useTexts(roleNames), ['VIEWER', 'OPERATOR', 'ADMIN']);
  return (
    <>
      <ListPage
        id="members"
        label={text.members}
        source={{ document: MEMBERS, follows: ['MEMBERSHIP', 'USER'] }}
        rowName={({ user }) => user.name}
        columns={[
          { id: 'name', title: text.name, width: 180, render: ({ user }) => user.name },
          { id: 'email', title: text.email, width: 200, render: ({ user }) => user.email },
          { id: 'role', title: text.role, width: 120, render: ({ role }) => roles[role] },
          { id: 'state', title: text.state, width: 110, render: (member) => <State member={member} /> },
          { id: 'lastSignInAt', title: text.lastSignIn, width: 140, kind: 'ago' },
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
        create={{
          label: text.addMember,
          dialog: (close) => (
            <CreateDialog
              title={text.addMember}
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
              submit={text.addMember}
              onCreated={({ initialPassword }) => setPassword(initialPassword)}
              onClose={close}
            />
          ),
        }}
        empty={text.noMembers}
      />
      <Suspense>
        {managed && <MemberDialog member={managed} options={options} onClose={() => setManaged(null)} />}
        {password !== null && (
          <SecretDialog
            label={text.password}
            help={text.added}
            secret={password}
            onClose={() => setPassword(null)}
          />
        )}
      </Suspense>
    </>
  );
}

const EMPTY: { readonly name: string; readonly email: string; readonly role: Role } = {
  name: '',
  email: '',
  role: 'OPERATOR',
};

function State({ member }: { readonly member: Member }): ReactNode {
  const text = useText();
  if (member.disabledAt) return <Badge tone="bad">{text.disabled}</Badge>;
  if (member.lockedUntil) return <Badge tone="warning">{text.locked}</Badge>;
  return <Badge tone="good">{text.valid}</Badge>;
}
