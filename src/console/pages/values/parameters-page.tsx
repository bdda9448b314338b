import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { ParameterListQuery } from '../../gql/graphql';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { NewParameter } from './new-parameter';
import { OwnerLink } from './owner';
import { ParameterPanel } from './parameter-panel';
import { words } from './words';

const PARAMETERS = graphql(`
  query ParameterList(
    $first: Int!, $after: String, $filter: ParameterFilter, $orderBy: ParameterOrder, $count: Boolean!
  ) {
    parameters(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        key
        value
        description
        updatedAt
        group { id name }
        logicalNumber { id number }
      }
    }
  }
`);

type Row = ParameterListQuery['parameters']['nodes'][number];

const SOURCE = {
  document: PARAMETERS,
  connection: ({ parameters }: ParameterListQuery) => parameters,
  follows: ['PARAMETER'],
} as const;

export default function ParametersPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <ListPage<ParameterListQuery, Row>
        id="parameters"
        label={text.parameters}
        source={SOURCE}
        rowName={({ key }) => key}
        columns={[
          { id: 'key', title: text.key, order: 'KEY', width: 200, render: ({ key }) => <code>{key}</code> },
          { id: 'value', title: text.value, width: 220, render: ({ value }) => value },
          { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
          {
            id: 'description',
            title: text.description,
            width: 200,
            isHidden: true,
            render: (row) => row.description,
          },
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
              {text.newParameter}
            </Button>
          )
        }
        panel={(id, close) => <ParameterPanel id={id} onClose={close} />}
        empty={text.noParameters}
      />
      {isCreating && <NewParameter onClose={() => setCreating(false)} />}
    </>
  );
}
