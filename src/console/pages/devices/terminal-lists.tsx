import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { RecordLink } from '../../record/link';
import { CompactList } from '../../table/data-table';
import { DeliveryState } from '../notifications/deliveries';
import { useText } from './words';

const DELIVERIES = graphql(`
  query TerminalDeliveries($first: Int!, $after: String, $count: Boolean!, $id: ID!) {
    node(id: $id) {
      ... on Device {
        deliveries(first: $first, after: $after, orderBy: { field: ID, direction: DESC }) { ...Deliveries }
      }
      ... on LogicalNumber {
        deliveries(first: $first, after: $after, orderBy: { field: ID, direction: DESC }) { ...Deliveries }
      }
    }
  }

  fragment Deliveries on NotificationDeliveryConnection {
    totalCount @include(if: $count)
    pageInfo { hasNextPage endCursor }
    nodes {
      id
      state
      queuedAt
      reason
      notification { id content }
    }
  }
`);

/** Notifications for a device or for a logical number and what became of them, the newest first. */
export function TerminalDeliveries({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  return (
    <CompactList
      id="terminal-deliveries"
      label={text.deliveries}
      source={{ document: DELIVERIES, follows: ['NOTIFICATION'], variables: { id } }}
      rowName={({ notification }) => notification?.content ?? ''}
      columns={[
        { id: 'queuedAt', title: text.sent, width: 120, kind: 'ago' },
        {
          id: 'state',
          title: text.state,
          width: 110,
          render: ({ state }) => <DeliveryState state={state} />,
        },
        {
          id: 'notification',
          title: text.notification,
          width: 220,
          render: ({ notification }) =>
            notification && (
              <RecordLink
                page="/notifications"
                record={{ id: notification.id, name: notification.content }}
              />
            ),
        },
        { id: 'reason', title: text.reason, width: 140, isHidden: true },
      ]}
      empty={text.noDeliveries}
    />
  );
}
