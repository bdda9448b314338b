import { lazy, type ReactNode } from 'react';

import { graphql, mutations, noteOthersChange, useQuery, useSubscription } from '../../api';
import type { NotificationDeliveryState, NotificationListQuery } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { RecordLink } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import { Badge, Facts, Time } from '../../ui/facts';
import { Deliveries, STATES } from './deliveries';
import { messageOf, useText } from './words';

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
          options: optionsOf(text, STATES),
        },
        { id: 'createdAt', title: text.created, kind: 'time' },
        { id: 'id', title: text.notifications, kind: 'reference', isOfLinks: true },
      ]}
      create={{ label: text.send, icon: 'notification', dialog: (close) => <SendDialog onClose={close} /> }}
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

const RECORD = graphql(`
  query NotificationRecord($id: ID!) {
    notification(id: $id) {
      id
      content
      kind
      createdAt
      expiresAt
      createdBy { name }
      app { id name }
      group { id name }
      summary { cancelled delivered expired failed queued sent }
    }
  }
`);

const CHANGED = graphql(`
  subscription DeliveryChanged($id: ID!) {
    notificationDelivery(notificationId: $id) { sequence }
  }
`);

/** A notification and what became of it at each logical number, followed while it is open. */
function NotificationPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(RECORD, { id }, ['NOTIFICATION']);
  useSubscription(CHANGED, { id }, () => noteOthersChange('NOTIFICATION'));
  return (
    <RecordPanel
      query={query}
      record={({ notification }) => notification}
      title={({ content }) => messageOf(content)}
      actions={({ summary }) => (
        <>
          {summary.failed > 0 && (
            <ActionButton
              label={text.retry}
              document={mutations.notificationRetry}
              variables={{ id }}
              changes={['NOTIFICATION']}
            />
          )}
          {summary.queued + summary.sent > 0 && (
            <ActionButton
              label={text.cancelSending}
              isDangerous
              help={text.cancelHelp}
              document={mutations.notificationCancel}
              variables={{ id }}
              changes={['NOTIFICATION']}
            />
          )}
        </>
      )}
      onClose={onClose}
      tabs={({ kind, group, app, createdAt, createdBy, expiresAt, summary }) => [
        {
          id: 'deliveries',
          title: text.deliveries,
          content: (
            <>
              <Facts
                facts={STATES.map((state) => ({
                  name: text[state],
                  value: summary[state.toLowerCase() as Lowercase<NotificationDeliveryState>],
                }))}
              />
              <Deliveries id={id} isOfNotification />
            </>
          ),
        },
        {
          facts: [
            { name: text.kind, value: text[kind] },
            {
              name: text.target,
              value: group ? <RecordLink page="/groups" record={group} /> : text.logicalNumbers,
            },
            ...(app ? [{ name: text.app, value: app.name }] : []),
            { name: text.created, value: <Time at={createdAt} /> },
            { name: text.createdBy, value: createdBy?.name },
            { name: text.expires, value: <Time at={expiresAt} /> },
          ],
        },
      ]}
    />
  );
}
