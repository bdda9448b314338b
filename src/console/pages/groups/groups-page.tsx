import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { GroupListQuery } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { GroupPanel } from './group-panel';
import { words } from './words';

const GROUPS = graphql(`
  query GroupList($first: Int!, $after: String, $filter: GroupFilter, $orderBy: GroupOrder, $count: Boolean!) {
    groups(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        name
        updatedAt
        logicalNumbers(first: 0) { totalCount }
        appVersions(first: 0) { totalCount }
        parameters(first: 0) { totalCount }
      }
    }
  }
`);

const CREATE = graphql(`
  mutation GroupCreate($input: GroupCreateInput!) {
    groupCreate(input: $input) {
      group { id }
      userErrors { code message path rule params }
    }
  }
`);

type Row = GroupListQuery['groups']['nodes'][number];

const SOURCE = {
  document: GROUPS,
  connection: ({ groups }: GroupListQuery) => groups,
  follows: ['GROUP', 'LOGICAL_NUMBER', 'PARAMETER'],
} as const;

export default function GroupsPage(): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const mayWrite = useMay('WRITE');
  const [isCreating, setCreating] = useState(false);
  const [, change] = useListAddress();
  const count = (id: 'logicalNumbers' | 'appVersions' | 'parameters') => ({
    id,
    title: text[id],
    width: 120,
    align: 'end' as const,
    render: (row: Row) => format.number(row[id].totalCount),
  });
  return (
    <>
      <ListPage<GroupListQuery, Row>
        id="groups"
        label={text.groups}
        source={SOURCE}
        rowName={({ name }) => name}
        columns={[
          { id: 'name', title: text.name, order: 'NAME', width: 220, render: ({ name }) => name },
          count('logicalNumbers'),
          count('appVersions'),
          count('parameters'),
          {
            id: 'updatedAt',
            title: text.updated,
            order: 'UPDATED_AT',
            width: 140,
            render: (row) => <Ago at={row.updatedAt} />,
          },
        ]}
        filters={[{ id: 'name', title: text.name, kind: 'text' }]}
        actions={
          mayWrite && (
            <Button icon="add" look="primary" onPress={() => setCreating(true)}>
              {text.newGroup}
            </Button>
          )
        }
        panel={(id, close) => <GroupPanel id={id} onClose={close} />}
        empty={text.noGroups}
      />
      {isCreating && (
        <CreateDialog
          title={text.newGroup}
          draft="group"
          empty={{ name: '' }}
          fields={[{ name: 'name', label: text.name }]}
          document={CREATE}
          changes={['GROUP']}
          variables={(input) => ({ input })}
          onCreated={({ group }) => change({ open: group?.id })}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}
