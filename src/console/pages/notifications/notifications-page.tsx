import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { NotificationListQuery } from '../../gql/graphql';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Ago, Badge } from '../../ui/facts';
import { messageOf, NotificationPanel } from './notification-panel';
import { SendDialog } from './send-dialog';
import { words } from './words';

const NOTIFICATIONS = graphql(`
  query NotificationList(
    $first: Int!
    $after: String
    $filter: NotificationFilter
    $orderBy: NotificationOrder
    $count: Boolean!
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

const SOURCE = {
  document: NOTIFICATIONS,
  connection: ({ notifications }: NotificationListQuery) => notifications,
  follows: ['NOTIFICATION'],
} as const;

export default function NotificationsPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isSending, setSending] = useState(false);
  return (
    <>
      <ListPage<NotificationListQuery, Row>
        id="notifications"
        label={text.notifications}
        source={SOURCE}
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
          {
            id: 'progress',
            title: text.progress,
            width: 170,
            render: ({ summary }) => <Progress summary={summary} />,
          },
          { id: 'kind', title: text.kind, width: 140, isHidden: true, render: ({ kind }) => text[kind] },
          {
            id: 'createdAt',
            title: text.created,
            order: 'CREATED_AT',
            width: 140,
            render: ({ createdAt }) => <Ago at={createdAt} />,
          },
        ]}
        filters={[
          {
            id: 'kind',
            title: text.kind,
            kind: 'choice',
            options: (['SHOW', 'PROCESSING'] as const).map((value) => ({ value, label: text[value] })),
          },
          { id: 'createdAt', title: text.created, kind: 'time' },
        ]}
        actions={
          mayWrite && (
            <Button icon="bell" look="primary" onPress={() => setSending(true)}>
              {text.send}
            </Button>
          )
        }
        panel={(id, close) => <NotificationPanel id={id} onClose={close} />}
        empty={text.none}
      />
      {isSending && <SendDialog onClose={() => setSending(false)} />}
    </>
  );
}

/** Delivered of all, and how many have failed. */
function Progress({ summary }: { readonly summary: Row['summary'] }): ReactNode {
  const text = useTexts(words);
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
