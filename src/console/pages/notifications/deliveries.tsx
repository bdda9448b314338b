import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { DeliveryListQuery, NotificationDeliveryState } from '../../gql/graphql';
import { DataTable } from '../../table/data-table';
import type { Filter } from '../../table/filter';
import { useTexts } from '../../text';
import { Ago, Badge, type Tone } from '../../ui/facts';
import { words } from './words';

const DELIVERIES = graphql(`
  query DeliveryList(
    $first: Int!
    $after: String
    $filter: NotificationDeliveryFilter
    $orderBy: NotificationDeliveryOrder
    $count: Boolean!
    $id: ID!
  ) {
    notification(id: $id) {
      deliveries(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        totalCount @include(if: $count)
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          state
          reason
          sentAt
          finishedAt
          logicalNumber { id number }
        }
      }
    }
  }
`);

type Delivery = NonNullable<DeliveryListQuery['notification']>['deliveries']['nodes'][number];

const TONES: Readonly<Record<NotificationDeliveryState, Tone>> = {
  QUEUED: 'plain',
  SENT: 'plain',
  DELIVERED: 'good',
  FAILED: 'bad',
  EXPIRED: 'warning',
  CANCELLED: 'plain',
};
export const STATES = Object.keys(TONES) as NotificationDeliveryState[];

/** Deliveries of one notification, which can be narrowed to one state. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const text = useTexts(words);
  const [filter, setFilter] = useState<Filter>({});
  return (
    <DataTable<DeliveryListQuery, Delivery>
      id="deliveries"
      label={text.deliveries}
      isCompact
      source={{
        document: DELIVERIES,
        connection: ({ notification }) => notification?.deliveries,
        follows: [],
        variables: { id },
      }}
      filter={filter}
      onFilter={setFilter}
      onSort={() => undefined}
      rowName={({ logicalNumber }) => logicalNumber?.number ?? ''}
      columns={[
        {
          id: 'logicalNumber',
          title: text.logicalNumber,
          width: 120,
          render: ({ logicalNumber }) =>
            logicalNumber && (
              <Link to="/logical-numbers" search={{ open: logicalNumber.id }}>
                {logicalNumber.number}
              </Link>
            ),
        },
        {
          id: 'state',
          title: text.state,
          width: 110,
          render: ({ state }) => <Badge tone={TONES[state]}>{text[state]}</Badge>,
        },
        {
          id: 'finishedAt',
          title: text.finished,
          width: 120,
          render: ({ finishedAt }) => finishedAt && <Ago at={finishedAt} />,
        },
        { id: 'reason', title: text.reason, width: 140, render: ({ reason }) => reason },
      ]}
      filters={[
        {
          id: 'state',
          title: text.state,
          kind: 'choice',
          options: STATES.map((value) => ({ value, label: text[value] })),
        },
      ]}
      empty={text.noDeliveries}
    />
  );
}
