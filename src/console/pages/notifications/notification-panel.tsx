import type { ReactNode } from 'react';

import { graphql, noteOthersChange, useQuery, useSubscription } from '../../api';
import { useMay } from '../../app/session';
import type { NotificationDeliveryState } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { RecordLink } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { Facts, Time } from '../../ui/facts';
import { Deliveries, STATES } from './deliveries';
import { messageOf, useText } from './words';

const NOTIFICATION = graphql(`
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

const CANCEL = graphql(`
  mutation NotificationCancel($id: ID!) {
    notificationCancel(id: $id) { userErrors { code message path rule params } }
  }
`);

const RETRY = graphql(`
  mutation NotificationRetry($id: ID!) {
    notificationRetry(id: $id) { userErrors { code message path rule params } }
  }
`);

/** A notification and what became of it at each logical number, followed while it is open. */
export default function NotificationPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(NOTIFICATION, { id }, ['NOTIFICATION']);
  useSubscription(CHANGED, { id }, () => noteOthersChange('NOTIFICATION'));
  return (
    <RecordPanel
      query={query}
      record={({ notification }) => notification}
      title={({ content }) => messageOf(content)}
      actions={({ summary }) => (
        <Actions id={id} waiting={summary.queued + summary.sent} failed={summary.failed} />
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
              <Deliveries id={id} />
              <Facts
                facts={[
                  { name: text.kind, value: text[kind] },
                  {
                    name: text.target,
                    value: group ? <RecordLink page="/groups" record={group} /> : text.logicalNumbers,
                  },
                  ...(app ? [{ name: text.app, value: app.name }] : []),
                  { name: text.created, value: <Time at={createdAt} /> },
                  { name: text.createdBy, value: createdBy?.name },
                  { name: text.expires, value: <Time at={expiresAt} /> },
                ]}
              />
            </>
          ),
        },
      ]}
    />
  );
}

function Actions(props: {
  readonly id: string;
  readonly waiting: number;
  readonly failed: number;
}): ReactNode {
  const text = useText();
  const { id, waiting, failed } = props;
  if (!useMay('WRITE')) return null;
  return (
    <>
      {failed > 0 && (
        <ActionButton label={text.retry} document={RETRY} variables={{ id }} changes={['NOTIFICATION']} />
      )}
      {waiting > 0 && (
        <ActionButton
          label={text.cancelSending}
          isDangerous
          help={text.cancelHelp}
          document={CANCEL}
          variables={{ id }}
          changes={['NOTIFICATION']}
        />
      )}
    </>
  );
}
