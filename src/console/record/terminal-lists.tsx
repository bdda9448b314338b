import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../api/graphql';
import type {
  NotificationDeliveryState,
  TerminalDeliveriesQuery,
  TerminalTransactionsQuery,
  TransactionStatus,
} from '../gql/graphql';
import { DataTable } from '../table/data-table';
import type { Filter } from '../table/filter';
import { texts, useTexts } from '../text';
import { useFormat } from '../text/format';
import { Ago, Badge, type Tone } from '../ui/facts';

const TRANSACTIONS = graphql(`
  query TerminalTransactions(
    $first: Int!
    $after: String
    $filter: TransactionFilter
    $orderBy: TransactionOrder
    $count: Boolean!
  ) {
    transactions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        startedAt
        status
        appName
        parsed { amount status nsu }
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

const words = texts({
  amount: ['Amount', 'Valor'],
  app: ['App', 'Aplicativo'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  DELIVERED: ['Delivered', 'Entregue'],
  deliveries: ['Deliveries', 'Entregas'],
  EXPIRED: ['Expired', 'Expirada'],
  FAIL: ['Failed', 'Falhou'],
  FAILED: ['Failed', 'Falhou'],
  noDeliveries: ['No notification was sent to it yet.', 'Nenhuma notificação enviada ainda.'],
  notification: ['Notification', 'Notificação'],
  noTransactions: ['No transactions yet.', 'Nenhuma transação ainda.'],
  nsu: ['NSU', 'NSU'],
  QUEUED: ['Waiting', 'Aguardando'],
  RUNNING: ['Running', 'Em andamento'],
  SENT: ['Handed over', 'Repassada'],
  sent: ['Sent', 'Enviada'],
  started: ['Started', 'Início'],
  state: ['State', 'Situação'],
  SUCCESS: ['Completed', 'Concluída'],
  transactions: ['Transactions', 'Transações'],
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

type Transaction = TerminalTransactionsQuery['transactions']['nodes'][number];

/** Transactions of a device or of a logical number, the newest first. */
export function TerminalTransactions({ filter }: { readonly filter: Filter }): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const [sort, setSort] = useState<string | undefined>('-STARTED_AT');
  return (
    <DataTable<TerminalTransactionsQuery, Transaction>
      id="terminal-transactions"
      label={text.transactions}
      isCompact
      source={{ document: TRANSACTIONS, connection: ({ transactions }) => transactions, follows: [] }}
      filter={{}}
      fixedFilter={filter}
      onFilter={() => undefined}
      sort={sort}
      onSort={setSort}
      rowName={({ id }) => id}
      columns={[
        {
          id: 'startedAt',
          title: text.started,
          order: 'STARTED_AT',
          width: 190,
          render: ({ id, startedAt }) => (
            <Link to="/transactions" search={{ open: id }}>
              {format.time(startedAt)}
            </Link>
          ),
        },
        {
          id: 'status',
          title: text.state,
          width: 100,
          render: ({ status }) => <Badge tone={TONES[status]}>{text[status]}</Badge>,
        },
        {
          id: 'amount',
          title: text.amount,
          width: 90,
          align: 'end',
          render: ({ parsed }) => parsed && format.amount(parsed.amount),
        },
        { id: 'nsu', title: text.nsu, width: 90, render: ({ parsed }) => parsed?.nsu },
        { id: 'app', title: text.app, width: 130, render: ({ appName }) => appName },
      ]}
      empty={text.noTransactions}
    />
  );
}

type Node = Extract<TerminalDeliveriesQuery['node'], { deliveries: unknown }>;
type Delivery = Node['deliveries']['nodes'][number];

/** Notifications for a device or for a logical number and what became of them, the newest first. */
export function TerminalDeliveries({ id }: { readonly id: string }): ReactNode {
  const text = useTexts(words);
  return (
    <DataTable<TerminalDeliveriesQuery, Delivery>
      id="terminal-deliveries"
      label={text.deliveries}
      isCompact
      source={{
        document: DELIVERIES,
        connection: ({ node }) => (node && 'deliveries' in node ? node.deliveries : null),
        follows: ['NOTIFICATION'],
        variables: { id },
      }}
      filter={{}}
      onFilter={() => undefined}
      onSort={() => undefined}
      rowName={({ notification }) => notification?.content ?? ''}
      columns={[
        { id: 'queuedAt', title: text.sent, width: 120, render: ({ queuedAt }) => <Ago at={queuedAt} /> },
        {
          id: 'state',
          title: text.state,
          width: 110,
          render: ({ state }) => <Badge tone={TONES[state]}>{text[state]}</Badge>,
        },
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
