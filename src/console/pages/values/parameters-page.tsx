import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import type { ParameterEffectQuery } from '../../gql/graphql';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { Badge, Time } from '../../ui/facts';
import NewParameter from './new-parameter';
import { OwnerLink } from './owner';
import { useText } from './words';

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
      empty={text.noValues}
    />
  );
}

const PARAMETER = graphql(`
  query ParameterRecord($id: ID!) {
    parameter(id: $id) {
      id
      revision
      key
      value
      description
      updatedAt
      group { id name }
      logicalNumber {
        id
        number
        effectiveParameters {
          key
          overridden { id value }
        }
      }
    }
  }
`);

/** A parameter, who gets it, and who has another value in its place. */
function ParameterPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(PARAMETER, { id }, ['PARAMETER', 'LOGICAL_NUMBER']);
  return (
    <RecordPanel
      query={query}
      record={({ parameter }) => parameter}
      title={({ key }) => key}
      edit={{
        document: mutations.parameterUpdate,
        changes: ['PARAMETER'],
        fields: [
          { name: 'value', label: text.value, rows: 2 },
          { name: 'description', label: text.description, isOptional: true },
        ],
      }}
      remove={{ document: mutations.parameterDelete, changes: 'PARAMETER' }}
      history="PARAMETER"
      onClose={onClose}
      tabs={({ key, value, description, updatedAt, group, logicalNumber }) => {
        const owner = { group, logicalNumber };
        const overridden = logicalNumber?.effectiveParameters.find((each) => each.key === key)?.overridden;
        const facts = {
          facts: [
            { name: text.value, value },
            { name: text.owner, value: <OwnerLink owner={owner} /> },
            { name: text.description, value: description },
            { name: text.updated, value: <Time at={updatedAt} /> },
          ],
          content: overridden && (
            <p>
              <Link to="/parameters" search={{ open: overridden.id }}>
                {`${text.overrides}: ${overridden.value}`}
              </Link>
            </p>
          ),
        };
        const effect = group && {
          id: 'effect',
          title: text.effect,
          content: <Effect groupId={group.id} name={key} />,
        };
        return effect ? [facts, effect] : [facts];
      }}
    />
  );
}

const EFFECT = graphql(`
  query ParameterEffect(
    $first: Int!, $after: String, $filter: LogicalNumberFilter, $orderBy: LogicalNumberOrder, $count: Boolean!
  ) {
    logicalNumbers(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        number
        effectiveParameters { key value source }
      }
    }
  }
`);

type Numbered = ParameterEffectQuery['logicalNumbers']['nodes'][number];

/** The numbers of a group with the value that each gets: the one of the group, or its own. */
function Effect({ groupId, name }: { readonly groupId: string; readonly name: string }): ReactNode {
  const text = useText();
  const effective = (row: Numbered): Numbered['effectiveParameters'][number] | undefined =>
    row.effectiveParameters.find(({ key }) => key === name);
  return (
    <CompactList
      id="parameter-effect"
      label={text.effect}
      source={{ document: EFFECT, follows: ['PARAMETER', 'LOGICAL_NUMBER'] }}
      fixedFilter={{ groupId: { eq: groupId } }}
      rowName={({ number }) => number}
      columns={[
        { id: 'number', title: text.logicalNumber, width: 130, page: '/logical-numbers' },
        { id: 'value', title: text.value, width: 150, render: (row) => effective(row)?.value },
        {
          id: 'source',
          title: text.source,
          width: 130,
          render: (row) =>
            effective(row)?.source === 'LOGICAL_NUMBER' ? (
              <Badge tone="warning">{text.ofNumber}</Badge>
            ) : (
              <Badge>{text.ofGroup}</Badge>
            ),
        },
      ]}
      empty={text.noNumbers}
    />
  );
}
