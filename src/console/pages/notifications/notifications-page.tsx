import { lazy, type ReactNode } from 'react';

import { graphql, mutations, noteOthersChange, useSubscription } from '../../api';
import type { NotificationDeliveryState, NotificationRowFragment } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import { Badge, Facts, Time } from '../../ui/facts';
import { Deliveries, STATES } from './deliveries';
import { messageOf, useText } from './words';

const SendDialog = lazy(() => import('./send-dialog'));

const ROW = graphql(`
  fragment NotificationRow on Notification {
    id content kind createdAt
    group { id name }
    summary { cancelled delivered expired failed queued sent }
  }
`);

export default function NotificationsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="notifications"
      source={listOf(ROW)}
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
      panel={<NotificationPanel />}
      empty={text.noNotifications}
    />
  );
}

/** Delivered of all, and how many have failed. */
function Progress({ summary }: NotificationRowFragment): ReactNode {
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
  fragment NotificationRecord on Notification {
    id content kind createdAt expiresAt
    createdBy { name }
    app { id name }
    group { id name }
    summary { cancelled delivered expired failed queued sent }
  }
`);

const CHANGED = graphql(`
  subscription DeliveryChanged($id: ID!) {
    notificationDelivery(notificationId: $id) { sequence }
  }
`);

/** A notification and what became of it at each logical number, followed while it is open. */
function NotificationPanel(): ReactNode {
  const text = useText();
  const [{ open: id = '' }] = useListAddress();
  useSubscription(CHANGED, { id }, () => noteOthersChange('NOTIFICATION'));
  return (
    <RecordPanel
      fragment={RECORD}
      title={({ content }) => messageOf(content)}
      actions={({ summary }) => (
        <>
          {summary.failed > 0 && (
            <ActionButton label={text.retry} document={mutations.notificationRetry} variables={{ id }} />
          )}
          {summary.queued + summary.sent > 0 && (
            <ActionButton
              label={text.cancelSending}
              isDangerous
              help={text.cancelHelp}
              document={mutations.notificationCancel}
              variables={{ id }}
            />
          )}
        </>
      )}
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
