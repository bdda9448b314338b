import { lazy, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/fields';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { errorAt } from '../../ui/form';
import { jsonOf } from './json';
import { OwnerFields, OwnerLink, type OwnerInput } from './owner';
import { words } from './words';

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
  const text = useTexts(words);
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
