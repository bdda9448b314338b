import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { ListPage } from '../../table/list-page';
import { OwnerLink } from './owner';
import { useText } from './words';

const NewMetacontent = lazy(() => import('./new-metacontent'));
const MetacontentPanel = lazy(() => import('./metacontent-panel'));

const METACONTENTS = graphql(`
  query MetacontentList(
    $first: Int!, $after: String, $filter: MetacontentFilter, $orderBy: MetacontentOrder, $count: Boolean!
  ) {
    metacontents(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        key
        value
        updatedAt
        group { id name }
        logicalNumber { id number }
      }
    }
  }
`);

export default function MetacontentsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="metacontents"
      label={text.metacontents}
      source={{ document: METACONTENTS, follows: ['METACONTENT'] }}
      rowName={({ key }) => key}
      columns={[
        { id: 'key', title: text.key, order: 'KEY', width: 200, kind: 'code' },
        {
          id: 'value',
          title: text.value,
          width: 260,
          render: ({ value }) => <code>{JSON.stringify(value)}</code>,
        },
        { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 130, kind: 'ago' },
      ]}
      filters={[{ id: 'key', title: text.key, kind: 'text' }]}
      create={{ label: text.newMetacontent, dialog: (close) => <NewMetacontent onClose={close} /> }}
      panel={(id, close) => <MetacontentPanel id={id} onClose={close} />}
      empty={text.noMetacontents}
    />
  );
}
