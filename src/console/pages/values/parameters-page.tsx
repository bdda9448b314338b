import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import type { ParameterEffectRowFragment } from '../../gql/graphql';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts } from '../../table/shown';
import { Badge } from '../../ui/facts';
import { useNewParameter } from './owner';
import { useText } from './words';

const ROW = fragment(`
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
      text={text}
      source={listOf(ROW)}
      columns={['key', 'value', 'group', 'logicalNumber', { id: 'description', isHidden: true }, 'updatedAt']}
      filters={['key']}
      create={useNewParameter()}
      panel={<ParameterPanel />}
    />
  );
}

const PARAMETER = fragment(`
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
      edit={{ document: mutations.parameterUpdate, fields: [{ name: 'value', rows: 2 }, 'description'] }}
      remove={mutations.parameterDelete}
      tabs={(parameter) => {
        const { key, group, logicalNumber } = parameter;
        const own = logicalNumber?.effectiveParameters.find((each) => each.key === key);
        const owner = group ? 'group' : 'logicalNumber';
        return {
          facts: (
            <>
              <Facts facts={['value', owner, 'description', 'updatedAt']} record={parameter} />
              {own?.overridden && (
                <p>
                  <Link to="/parameters" search={{ open: own.overridden.id }}>
                    {`${text.overrides}: ${own.overridden.value}`}
                  </Link>
                </p>
              )}
            </>
          ),
          effect: group && <Effect groupId={group.id} name={key} />,
        };
      }}
    />
  );
}

const EFFECT = fragment(`
  fragment ParameterEffectRow on LogicalNumber {
    id number
    effectiveParameters { key value source }
  }
`);

/** The numbers of a group with the value that each gets: the one of the group, or its own. */
function Effect({ groupId, name }: { readonly groupId: string; readonly name: string }): ReactNode {
  const text = useText();
  const effective = ({ effectiveParameters }: ParameterEffectRowFragment) =>
    effectiveParameters.find(({ key }) => key === name);
  return (
    <CompactList
      id="parameter-effect"
      text={text}
      label={text.effect}
      source={listOf(EFFECT, 'PARAMETER')}
      fixedFilter={{ groupId: { eq: groupId } }}
      columns={[
        { id: 'number', title: text.logicalNumber, page: '/logical-numbers' },
        { id: 'value', render: (row) => effective(row)?.value },
        {
          id: 'source',
          render: (row) =>
            effective(row)?.source === 'LOGICAL_NUMBER' ? (
              <Badge tone="warning">{text.ofNumber}</Badge>
            ) : (
              <Badge>{text.ofGroup}</Badge>
            ),
        },
      ]}
    />
  );
}
