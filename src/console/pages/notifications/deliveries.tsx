import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { NotificationDeliveryState } from '../../gql/graphql';
import { CompactList } from '../../table/data-table';
import { optionsOf } from '../../text';
import { Ago, Badge, type Tone } from '../../ui/facts';
import { useText } from './words';

const DELIVERIES = graphql(`
  query DeliveryList(
    $first: Int!, $after: String, $filter: NotificationDeliveryFilter, $orderBy: NotificationDeliveryOrder, $count: Boolean!, $id: ID!
  ) {
    notification(id: $id) {
      deliveries(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        totalCount @include(if: $count)
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          state
          reason
          finishedAt
          logicalNumber { id number }
        }
      }
    }
  }
`);

const TONES: Readonly<Record<NotificationDeliveryState, Tone>> = {
  QUEUED: 'plain',
  SENT: 'plain',
  DELIVERED: 'good',
  FAILED: 'bad',
  EXPIRED: 'warning',
  CANCELLED: 'plain',
};
export const STATES = Object.keys(TONES) as NotificationDeliveryState[];

/** State of a delivery in a word. */
export function DeliveryState({ state }: { readonly state: NotificationDeliveryState }): ReactNode {
  return <Badge tone={TONES[state]}>{useText()[state]}</Badge>;
}

/** Deliveries of one notification, which can be narrowed to one state. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  return (
    <CompactList
      id="deliveries"
      label={text.deliveries}
      source={{ document: DELIVERIES, follows: ['NOTIFICATION'], variables: { id } }}
      rowName={({ logicalNumber }) => logicalNumber?.number ?? ''}
      columns={[
        { id: 'logicalNumber', title: text.logicalNumber, width: 120, page: '/logical-numbers' },
        {
          id: 'state',
          title: text.state,
          width: 110,
          render: ({ state }) => <DeliveryState state={state} />,
        },
        {
          id: 'finishedAt',
          title: text.finished,
          width: 120,
          render: ({ finishedAt }) => finishedAt && <Ago at={finishedAt} />,
        },
        { id: 'reason', title: text.reason, width: 140 },
      ]}
      filters={[{ id: 'state', title: text.state, kind: 'choice', options: optionsOf(text, STATES) }]}
      empty={text.noDeliveries}
    />
  );
}
