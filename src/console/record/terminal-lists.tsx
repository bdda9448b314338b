import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql } from '../api/graphql';
import type { NotificationDeliveryState, TransactionStatus } from '../gql/graphql';
import { CompactList } from '../table/compact-list';
import type { Filter } from '../table/filter';
import { useTexts } from '../text';
import { useFormat } from '../text/format';
import { Badge, type Tone } from '../ui/facts';
import { pageWords } from '../ui/words';
import { RecordLink } from './link';

const TRANSACTIONS = graphql(`
  query TerminalTransactions(
    $first: Int!, $after: String, $filter: TransactionFilter, $orderBy: TransactionOrder, $count: Boolean!
  ) {
    transactions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        startedAt
        status
        appName
        parsed { amount nsu }
      }
    }
  }
`);

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

const words = pageWords({
  CANCELLED: ['Cancelled', 'Cancelada'],
  DELIVERED: ['Delivered', 'Entregue'],
  EXPIRED: ['Expired', 'Expirada'],
  FAIL: ['Failed', 'Falhou'],
  FAILED: ['Failed', 'Falhou'],
  noDeliveries: ['No notification was sent to it yet.', 'Nenhuma notificação enviada ainda.'],
  notification: ['Notification', 'Notificação'],
  noTransactions: ['No transactions yet.', 'Nenhuma transação ainda.'],
  QUEUED: ['Waiting', 'Aguardando'],
  RUNNING: ['Running', 'Em andamento'],
  SENT: ['Handed over', 'Repassada'],
  sent: ['Sent', 'Enviada'],
  started: ['Started', 'Início'],
  SUCCESS: ['Completed', 'Concluída'],
});

const TONES: Readonly<Record<NotificationDeliveryState | TransactionStatus, Tone>> = {
  QUEUED: 'plain',
  SENT: 'plain',
  DELIVERED: 'good',
  FAILED: 'bad',
  EXPIRED: 'warning',
  CANCELLED: 'plain',
  RUNNING: 'warning',
  SUCCESS: 'good',
  FAIL: 'bad',
};

/** Transactions of a device or of a logical number, the newest first. */
export function TerminalTransactions({ filter }: { readonly filter: Filter }): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  return (
    <CompactList
      id="terminal-transactions"
      label={text.transactions}
      source={{ document: TRANSACTIONS, follows: [] }}
      fixedFilter={filter}
      initialSort="-STARTED_AT"
      rowName={({ id }) => id}
      columns={[
        {
          id: 'startedAt',
          title: text.started,
          order: 'STARTED_AT',
          width: 190,
          render: ({ id, startedAt }) => (
            <RecordLink page="/transactions" record={{ id, name: format.time(startedAt) }} />
          ),
        },
        { id: 'status', title: text.state, width: 100, render: ({ status }) => <State state={status} /> },
        {
          id: 'amount',
          title: text.amount,
          width: 90,
          align: 'end',
          render: ({ parsed }) => parsed && format.amount(parsed.amount),
        },
        { id: 'nsu', title: 'NSU', width: 90, render: ({ parsed }) => parsed?.nsu },
        { id: 'appName', title: text.app, width: 130 },
      ]}
      empty={text.noTransactions}
    />
  );
}

/** Notifications for a device or for a logical number and what became of them, the newest first. */
export function TerminalDeliveries({ id }: { readonly id: string }): ReactNode {
  const text = useTexts(words);
  return (
    <CompactList
      id="terminal-deliveries"
      label={text.deliveries}
      source={{ document: DELIVERIES, follows: ['NOTIFICATION'], variables: { id } }}
      rowName={({ notification }) => notification?.content ?? ''}
      columns={[
        { id: 'queuedAt', title: text.sent, width: 120, kind: 'ago' },
        { id: 'state', title: text.state, width: 110, render: ({ state }) => <State state={state} /> },
        {
          id: 'notification',
          title: text.notification,
          width: 220,
          render: ({ notification, reason }) =>
            notification && (
              <Link
                to="/notifications"
                search={{ open: notification.id }}
                title={reason ?? notification.content}
              >
                {notification.content}
              </Link>
            ),
        },
      ]}
      empty={text.noDeliveries}
    />
  );
}

function State({ state }: { readonly state: NotificationDeliveryState | TransactionStatus }): ReactNode {
  const text = useTexts(words);
  return <Badge tone={TONES[state]}>{text[state]}</Badge>;
}
