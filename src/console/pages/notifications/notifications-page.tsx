import type { ReactNode } from 'react';

import { fragment, graphql, mutations, useSubscription } from '../../api';
import type { NotificationRecordFragment } from '../../gql/graphql';
import { ActionButton } from '../../record/dialog-button';
import { nameOf } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, Shown } from '../../table/shown';
import { useFormat } from '../../text';
import { Badge } from '../../ui/facts';
import { Deliveries, STATES } from './deliveries';
import { KINDS, useSending } from './sending';
import { useText } from './words';

const NOTIFICATION = fragment(`
  fragment NotificationRecord on Notification {
    id content kind createdAt expiresAt
    createdBy { name }
    app { id name }
    group { id name }
    summary { cancelled delivered expired failed queued sent }
  }
`);

export default function NotificationsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="notifications"
      text={text}
      source={listOf(NOTIFICATION)}
      initialSort="-CREATED_AT"
      columns={[
        { id: 'content', render: nameOf },
        { id: 'group', title: text.target, render: ({ group }) => group?.name ?? text.logicalNumbers },
        { id: 'progress', render: (row) => <Progress {...row} /> },
        { id: 'kind', isHidden: true },
        'createdAt',
      ]}
      filters={[
        'content',
        { id: 'kind', values: KINDS },
        { id: 'deliveryState', values: STATES },
        'createdAt',
        { id: 'id', title: text.notifications, isOfLinks: true },
      ]}
      create={useSending()}
      panel={<NotificationPanel />}
    />
  );
}

/** Delivered of all, and how many have failed. */
function Progress({ summary }: NotificationRecordFragment): ReactNode {
  const text = useText();
  const format = useFormat();
  const { cancelled, delivered, expired, failed, queued, sent } = summary;
  const all = cancelled + delivered + expired + failed + queued + sent;
  const share = `${format.number(delivered)} / ${format.number(all)}`;
  return (
    <>
      <Badge tone={delivered === all ? 'good' : 'plain'}>{share}</Badge>{' '}
      {failed + expired > 0 && (
        <Badge tone="bad">{`${text.FAILED}: ${format.number(failed + expired)}`}</Badge>
      )}
    </>
  );
}

const CHANGED = graphql(`
  subscription DeliveryChanged($id: ID!) {
    notificationDelivery(notificationId: $id) { sequence }
  }
`);

/** A notification and what became of it at each logical number, followed while it is open. */
function NotificationPanel(): ReactNode {
  const text = useText();
  const [{ open: id = '' }] = useListAddress();
  useSubscription(CHANGED, { id }, 'NOTIFICATION');
  return (
    <RecordPanel
      fragment={NOTIFICATION}
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
      tabs={(record) => ({
        deliveries: (
          <>
            <Facts
              facts={STATES.map((state) => ({
                id: state,
                value: record.summary[state.toLowerCase() as Lowercase<typeof state>],
              }))}
            />
            <Deliveries id={id} isOfNotification />
          </>
        ),
        facts: (
          <Facts
            record={record}
            facts={[
              'kind',
              {
                id: 'target',
                value: record.group ? <Shown name="group" record={record} /> : text.logicalNumbers,
              },
              ...(record.app ? [{ id: 'app', title: text.forApp, value: record.app.name }] : []),
              'createdAt',
              'createdBy',
              'expiresAt',
            ]}
          />
        ),
      })}
    />
  );
}
