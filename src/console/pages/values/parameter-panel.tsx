import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import type { ParameterEffectQuery, ParameterRecordQuery } from '../../gql/graphql';
import { EditRecord } from '../../record/fields';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { Badge, Facts, Time } from '../../ui/facts';
import { OwnerLink } from './owner';
import { useText } from './words';

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

const UPDATE = graphql(`
  mutation ParameterEdit($id: ID!, $ifMatch: Int, $input: ParameterUpdateInput!) {
    parameterUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      parameter {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation ParameterDelete($id: ID!, $ifMatch: Int) {
    parameterDelete(id: $id, ifMatch: $ifMatch) { userErrors { code message path rule params } }
  }
`);

type Parameter = NonNullable<ParameterRecordQuery['parameter']>;

/** A parameter, who gets it, and who has another value in its place. */
export default function ParameterPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(PARAMETER, { id }, ['PARAMETER', 'LOGICAL_NUMBER']);
  return (
    <RecordPanel
      query={query}
      record={({ parameter }) => parameter}
      title={({ key }) => key}
      edit={(parameter, close) => (
        <EditRecord
          record={parameter}
          present={{ value: parameter.value, description: parameter.description ?? '' }}
          fields={[
            { name: 'value', label: text.value, rows: 2 },
            { name: 'description', label: text.description },
          ]}
          document={UPDATE}
          changes={['PARAMETER']}
          input={({ value, description }) => ({ value, description: description || null })}
          onClose={close}
        />
      )}
      remove={{ document: DELETE, changes: 'PARAMETER' }}
      history="PARAMETER"
      onClose={onClose}
      tabs={(parameter) => [
        { id: 'facts', title: text.facts, content: <ParameterFacts parameter={parameter} /> },
        ...(parameter.group
          ? [
              {
                id: 'effect',
                title: text.effect,
                content: <Effect groupId={parameter.group.id} name={parameter.key} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function ParameterFacts({ parameter }: { readonly parameter: Parameter }): ReactNode {
  const text = useText();
  const { key, logicalNumber } = parameter;
  const overridden = logicalNumber?.effectiveParameters.find((each) => each.key === key)?.overridden;
  return (
    <>
      <Facts
        facts={[
          { name: text.value, value: parameter.value },
          { name: text.owner, value: <OwnerLink owner={parameter} /> },
          { name: text.description, value: parameter.description },
          { name: text.updated, value: <Time at={parameter.updatedAt} /> },
        ]}
      />
      {overridden && (
        <p>
          <Link to="/parameters" search={{ open: overridden.id }}>
            {text.overrides(overridden.value)}
          </Link>
        </p>
      )}
    </>
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
