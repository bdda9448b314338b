import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useQuery, useSubscription } from '../../api/query';
import { useMay } from '../../app/session';
import type { NotificationDeliveryState } from '../../gql/graphql';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { Facts, Time } from '../../ui/facts';
import { Deliveries, STATES } from './deliveries';
import { words } from './words';

/** Text of a message without the action before it: "SHOW_MESSAGE|Closed" is "Closed". */
export const messageOf = (content: string): string => content.slice(content.indexOf('|') + 1);

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
    notificationCancel(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

const RETRY = graphql(`
  mutation NotificationRetry($id: ID!) {
    notificationRetry(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

/** A notification and what became of it at each logical number, followed while it is open. */
export function NotificationPanel({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  const query = useQuery(NOTIFICATION, { id }, ['NOTIFICATION']);
  const [changes, setChanges] = useState(0);
  useSubscription(CHANGED, { id }, () => {
    setChanges((count) => count + 1);
    query.reload();
  });
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
              <Deliveries key={changes} id={id} />
              <Facts
                facts={[
                  { name: text.kind, value: text[kind] },
                  {
                    name: text.target,
                    value: group ? (
                      <Link to="/groups" search={{ open: group.id }}>
                        {group.name}
                      </Link>
                    ) : (
                      text.logicalNumbers
                    ),
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
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isCancelling, setCancelling] = useState(false);
  const cancel = useMutation(CANCEL, ['NOTIFICATION']);
  const retry = useMutation(RETRY, ['NOTIFICATION']);
  if (!mayWrite) return null;
  const { id, waiting, failed } = props;
  return (
    <>
      {failed > 0 && (
        <Button isPending={retry.isRunning} onPress={() => void retry.run({ id })}>
          {text.retry}
        </Button>
      )}
      {waiting > 0 && <Button onPress={() => setCancelling(true)}>{text.cancel}</Button>}
      <Confirm
        title={text.cancel}
        action={text.cancel}
        isOpen={isCancelling}
        isRunning={cancel.isRunning}
        isDangerous
        onClose={() => setCancelling(false)}
        onConfirm={() => void cancel.run({ id }).then(() => setCancelling(false))}
      >
        {text.cancelHelp}
      </Confirm>
    </>
  );
}
