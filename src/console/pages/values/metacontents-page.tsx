import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { creating } from '../../record/create-dialog';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { Time } from '../../ui/facts';
import { NO_OWNER, OwnerLink, useOwnerFields } from './owner';
import { useText } from './words';

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
      create={creating({
        title: text.newMetacontent,
        draft: 'metacontent',
        empty: { key: '', value: '', ...NO_OWNER },
        fields: [
          { name: 'key', label: text.key },
          { name: 'value', label: text.value, help: text.valueHelp, rows: 4, isJson: true },
          ...useOwnerFields(),
        ],
        document: mutations.metacontentCreate,
        changes: ['METACONTENT'],
      })}
      panel={(id, close) => <MetacontentPanel id={id} onClose={close} />}
      empty={text.noValues}
    />
  );
}

const METACONTENT = graphql(`
  query MetacontentRecord($id: ID!) {
    metacontent(id: $id) {
      id
      revision
      key
      value
      updatedAt
      group { id name }
      logicalNumber { id number }
    }
  }
`);

function MetacontentPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(METACONTENT, { id }, ['METACONTENT']);
  return (
    <RecordPanel
      query={query}
      record={({ metacontent }) => metacontent}
      title={({ key }) => key}
      edit={{
        document: mutations.metacontentUpdate,
        changes: ['METACONTENT'],
        fields: [{ name: 'value', label: text.value, help: text.valueHelp, rows: 8, isJson: true }],
      }}
      remove={{ document: mutations.metacontentDelete, changes: 'METACONTENT' }}
      history="METACONTENT"
      onClose={onClose}
      tabs={(record) => [
        {
          facts: [
            { name: text.owner, value: <OwnerLink owner={record} /> },
            { name: text.updated, value: <Time at={record.updatedAt} /> },
          ],
          content: <pre className="code">{JSON.stringify(record.value, null, 2)}</pre>,
        },
      ]}
    />
  );
}
