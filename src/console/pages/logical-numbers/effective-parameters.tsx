import type { ReactNode } from 'react';

import type { DeviceManifestRecordFragment } from '../../gql/graphql';
import { SmallTable } from '../../table/shown';
import { Badge } from '../../ui/facts';
import { useText } from './words';

type LogicalNumber = NonNullable<DeviceManifestRecordFragment['logicalNumber']>;

/** The parameters that the terminals of a logical number get, each with its source: own values go before those of the group. */
export function EffectiveParameters(logicalNumber: LogicalNumber): ReactNode {
  const text = useText();
  const group = logicalNumber.group?.name ?? '';
  return (
    <SmallTable
      rows={logicalNumber.effectiveParameters}
      rowKey={({ key }) => key}
      empty={text.noParameters}
      columns={[
        'key',
        'value',
        {
          id: 'source',
          title: text.source,
          render: ({ source, overridden }) =>
            source === 'GROUP' ? (
              text.ofGroup(group)
            ) : (
              <>
                <Badge tone="warning">{text.ownValue}</Badge>
                {overridden && <small> {text.overrides(overridden.value, group)}</small>}
              </>
            ),
        },
        'description',
      ]}
    />
  );
}
