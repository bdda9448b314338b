import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { MetacontentListQuery } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { errorAt } from '../../ui/form';
import { jsonOf } from './json';
import { MetacontentPanel } from './metacontent-panel';
import { OwnerFields, OwnerLink, type OwnerInput } from './owner';
import { words } from './words';

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

type Row = MetacontentListQuery['metacontents']['nodes'][number];

const SOURCE = {
  document: METACONTENTS,
  connection: ({ metacontents }: MetacontentListQuery) => metacontents,
  follows: ['METACONTENT'],
} as const;

export default function MetacontentsPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <ListPage<MetacontentListQuery, Row>
        id="metacontents"
        label={text.metacontents}
        source={SOURCE}
        rowName={({ key }) => key}
        columns={[
          { id: 'key', title: text.key, order: 'KEY', width: 200, render: ({ key }) => <code>{key}</code> },
          {
            id: 'value',
            title: text.value,
            width: 260,
            render: ({ value }) => <code>{JSON.stringify(value)}</code>,
          },
          { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
          {
            id: 'updatedAt',
            title: text.updated,
            order: 'UPDATED_AT',
            width: 130,
            render: ({ updatedAt }) => <Ago at={updatedAt} />,
          },
        ]}
        filters={[{ id: 'key', title: text.key, kind: 'text' }]}
        actions={
          mayWrite && (
            <Button icon="add" look="primary" onPress={() => setCreating(true)}>
              {text.newMetacontent}
            </Button>
          )
        }
        panel={(id, close) => <MetacontentPanel id={id} onClose={close} />}
        empty={text.noMetacontents}
      />
      {isCreating && <NewMetacontent onClose={() => setCreating(false)} />}
    </>
  );
}

const CREATE = graphql(`
  mutation MetacontentCreate($input: MetacontentCreateInput!) {
    metacontentCreate(input: $input) {
      metacontent { id }
      userErrors { code message path rule params }
    }
  }
`);

function NewMetacontent({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const [owner, setOwner] = useState<OwnerInput | null>(null);
  return (
    <CreateDialog
      title={text.newMetacontent}
      draft="metacontent"
      empty={{ key: '', value: '' }}
      fields={[
        { name: 'key', label: text.key },
        { name: 'value', label: text.value, help: text.valueHelp, rows: 4 },
      ]}
      document={CREATE}
      changes={['METACONTENT']}
      variables={({ key, value }) => owner && { input: { key, value: jsonOf(value), owner } }}
      onClose={onClose}
    >
      {({ errors }) => <OwnerFields onChange={setOwner} error={errorAt(errors, 'input', 'owner')} />}
    </CreateDialog>
  );
}
