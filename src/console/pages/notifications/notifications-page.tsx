import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { NotificationListQuery } from '../../gql/graphql';
import { ListPage } from '../../table/list-page';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import { Badge } from '../../ui/facts';
import { messageOf, useText } from './words';

const NotificationPanel = lazy(() => import('./notification-panel'));
const SendDialog = lazy(() => import('./send-dialog'));

const NOTIFICATIONS = graphql(`
  query NotificationList(
    $first: Int!, $after: String, $filter: NotificationFilter, $orderBy: NotificationOrder, $count: Boolean!
  ) {
    notifications(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        content
        kind
        createdAt
        group { id name }
        summary { cancelled delivered expired failed queued sent }
      }
    }
  }
`);

type Row = NotificationListQuery['notifications']['nodes'][number];

export default function NotificationsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="notifications"
      label={text.notifications}
      source={{ document: NOTIFICATIONS, follows: ['NOTIFICATION'] }}
      initialSort="-CREATED_AT"
      rowName={({ content }) => messageOf(content)}
      columns={[
        { id: 'content', title: text.content, width: 300, render: ({ content }) => messageOf(content) },
        {
          id: 'group',
          title: text.target,
          width: 150,
          render: ({ group }) => group?.name ?? text.logicalNumbers,
        },
        { id: 'progress', title: text.progress, width: 170, render: (row) => <Progress {...row} /> },
        { id: 'kind', title: text.kind, width: 140, isHidden: true, render: ({ kind }) => text[kind] },
        { id: 'createdAt', title: text.created, order: 'CREATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[
        {
          id: 'kind',
          title: text.kind,
          kind: 'choice',
          options: optionsOf(text, ['SHOW', 'PROCESSING']),
        },
        {
          id: 'deliveryState',
          title: text.deliveryState,
          kind: 'choice',
          options: optionsOf(text, ['QUEUED', 'SENT', 'DELIVERED', 'FAILED', 'EXPIRED', 'CANCELLED']),
        },
        { id: 'createdAt', title: text.created, kind: 'time' },
        { id: 'id', title: text.notifications, kind: 'reference', isOfLinks: true },
      ]}
      create={{ label: text.send, icon: 'bell', dialog: (close) => <SendDialog onClose={close} /> }}
      panel={(id, close) => <NotificationPanel id={id} onClose={close} />}
      empty={text.noNotifications}
    />
  );
}

/** Delivered of all, and how many have failed. */
function Progress({ summary }: Row): ReactNode {
  const text = useText();
  const format = useFormat();
  const { cancelled, delivered, expired, failed, queued, sent } = summary;
  const all = cancelled + delivered + expired + failed + queued + sent;
  return (
    <>
      <Badge
        tone={delivered === all ? 'good' : 'plain'}
      >{`${format.number(delivered)} / ${format.number(all)}`}</Badge>{' '}
      {failed + expired > 0 && (
        <Badge tone="bad">{`${text.FAILED}: ${format.number(failed + expired)}`}</Badge>
      )}
    </>
  );
}
