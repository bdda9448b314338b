import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { ListPage } from '../../table/list-page';
import { OwnerLink } from './owner';
import { useText } from './words';

const NewParameter = lazy(() => import('./new-parameter'));
const ParameterPanel = lazy(() => import('./parameter-panel'));

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

export default function ParametersPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="parameters"
      label={text.parameters}
      source={{ document: PARAMETERS, follows: ['PARAMETER'] }}
      rowName={({ key }) => key}
      columns={[
        { id: 'key', title: text.key, order: 'KEY', width: 200, kind: 'code' },
        { id: 'value', title: text.value, width: 220 },
        { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
        { id: 'description', title: text.description, width: 200, isHidden: true },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 130, kind: 'ago' },
      ]}
      filters={[{ id: 'key', title: text.key, kind: 'text' }]}
      create={{ label: text.newParameter, dialog: (close) => <NewParameter onClose={close} /> }}
      panel={(id, close) => <ParameterPanel id={id} onClose={close} />}
      empty={text.noParameters}
    />
  );
}
