import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import type { ParameterEffectRowFragment } from '../../gql/graphql';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Badge, Time } from '../../ui/facts';
import NewParameter from './new-parameter';
import { OwnerLink } from './owner';
import { useText } from './words';

const ROW = graphql(`
  fragment ParameterRow on Parameter {
    id key value description updatedAt
    group { id name }
    logicalNumber { id number }
  }
`);

export default function ParametersPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="parameters"
      source={listOf(ROW)}
      columns={[
        { id: 'key', title: text.key, order: 'KEY', width: 200, kind: 'code' },
        { id: 'value', title: text.value, width: 220 },
        { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
        { id: 'description', title: text.description, width: 200, isHidden: true },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 130, kind: 'ago' },
      ]}
      filters={[{ id: 'key', title: text.key, kind: 'text' }]}
      create={{ label: text.newParameter, dialog: (close) => <NewParameter onClose={close} /> }}
      panel={<ParameterPanel />}
      empty={text.noValues}
    />
  );
}

const PARAMETER = graphql(`
  fragment ParameterRecord on Parameter {
    id revision key value description updatedAt
    group { id name }
    logicalNumber {
      id number
      effectiveParameters { key overridden { id value } }
    }
  }
`);

/** A parameter, who gets it, and who has another value in its place. */
function ParameterPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={PARAMETER}
      follows={['LOGICAL_NUMBER']}
      edit={{
        document: mutations.parameterUpdate,
        fields: [
          { name: 'value', label: text.value, rows: 2 },
          { name: 'description', label: text.description, isOptional: true },
        ],
      }}
      remove={mutations.parameterDelete}
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
  fragment ParameterEffectRow on LogicalNumber {
    id number
    effectiveParameters { key value source }
  }
`);

type Numbered = ParameterEffectRowFragment;

/** The numbers of a group with the value that each gets: the one of the group, or its own. */
function Effect({ groupId, name }: { readonly groupId: string; readonly name: string }): ReactNode {
  const text = useText();
  const effective = (row: Numbered): Numbered['effectiveParameters'][number] | undefined =>
    row.effectiveParameters.find(({ key }) => key === name);
  return (
    <CompactList
      id="parameter-effect"
      label={text.effect}
      source={listOf(EFFECT, 'PARAMETER')}
      fixedFilter={{ groupId: { eq: groupId } }}
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
