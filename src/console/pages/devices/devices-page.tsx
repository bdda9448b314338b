import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { DeviceListQuery } from '../../gql/graphql';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Ago, Badge } from '../../ui/facts';
import { DevicePanel } from './device-panel';
import { PresenceBadge } from './presence';
import { words } from './words';

const DEVICES = graphql(`
  query DeviceList(
    $first: Int!
    $after: String
    $filter: DeviceFilter
    $orderBy: DeviceOrder
    $count: Boolean!
  ) {
    devices(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        serialNumber
        enabled
        frameworkVersion
        presence
        lastSeenAt
        logicalNumber { id number }
      }
    }
  }
`);

type Row = DeviceListQuery['devices']['nodes'][number];

export default function DevicesPage(): ReactNode {
  const text = useTexts(words);
  return (
    <ListPage<DeviceListQuery, Row>
      id="devices"
      label={text.devices}
      source={{
        document: DEVICES,
        connection: ({ devices }) => devices,
        follows: ['DEVICE', 'LOGICAL_NUMBER'],
      }}
      rowName={({ serialNumber }) => serialNumber}
      columns={[
        {
          id: 'serialNumber',
          title: text.serialNumber,
          order: 'SERIAL_NUMBER',
          width: 180,
          render: ({ serialNumber }) => <span className="code">{serialNumber}</span>,
        },
        {
          id: 'presence',
          title: text.presence,
          width: 110,
          render: ({ presence }) => <PresenceBadge presence={presence} />,
        },
        {
          id: 'enabled',
          title: text.state,
          width: 100,
          render: ({ enabled }) =>
            enabled ? <Badge tone="good">{text.enabled}</Badge> : <Badge tone="bad">{text.disabled}</Badge>,
        },
        {
          id: 'logicalNumber',
          title: text.logicalNumber,
          width: 130,
          render: ({ logicalNumber }) => logicalNumber?.number,
        },
        { id: 'frameworkVersion', title: text.version, width: 110, render: (row) => row.frameworkVersion },
        {
          id: 'lastSeenAt',
          title: text.lastSeen,
          order: 'LAST_SEEN_AT',
          width: 150,
          render: ({ lastSeenAt }) => <Ago at={lastSeenAt} />,
        },
      ]}
      filters={[
        { id: 'serialNumber', title: text.serialNumber, kind: 'text' },
        { id: 'enabled', title: text.enabled, kind: 'flag' },
        { id: 'frameworkVersion', title: text.version, kind: 'text', comparator: 'startsWith' },
        { id: 'lastSeenAt', title: text.lastSeen, kind: 'time' },
      ]}
      panel={(id, close) => <DevicePanel id={id} onClose={close} />}
      empty={text.noDevices}
    />
  );
}
