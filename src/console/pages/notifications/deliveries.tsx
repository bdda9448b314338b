import type { ReactNode } from 'react';

import { fragment } from '../../api/graphql';
import { CompactList } from '../../table/data-table';
import { listIn } from '../../table/rows';
import { Ago } from '../../ui/facts';
import { useText } from './words';

const DELIVERY = fragment(`
  fragment DeliveryRow on NotificationDelivery {
    id state reason queuedAt finishedAt
    logicalNumber { id number }
    notification { id content }
  }
`);

export const STATES = ['QUEUED', 'SENT', 'DELIVERED', 'FAILED', 'EXPIRED', 'CANCELLED'] as const;

interface DeliveriesProps {
  /** Global id of a notification, a device or a logical number. */
  readonly id: string;
  /** True if all are of one notification; otherwise they are of one terminal, the newest first. */
  readonly isOfNotification?: boolean;
}

/** Deliveries of notifications, which can be narrowed to one state. */
export function Deliveries({ id, isOfNotification = false }: DeliveriesProps): ReactNode {
  const text = useText();
  return (
    <CompactList
      id={isOfNotification ? 'deliveries' : 'terminal-deliveries'}
      text={text}
      label={text.deliveries}
      source={listIn(id, DELIVERY, 'NOTIFICATION')}
      {...(!isOfNotification && { initialSort: '-ID' as const })}
      columns={[
        isOfNotification ? 'logicalNumber' : { id: 'notification', title: text.content, width: 220 },
        'state',
        { id: 'queuedAt', isHidden: isOfNotification },
        {
          id: 'finishedAt',
          isHidden: !isOfNotification,
          render: ({ finishedAt }) => finishedAt && <Ago at={finishedAt} />,
        },
        { id: 'reason', isHidden: !isOfNotification },
      ]}
      filters={[{ id: 'state', values: STATES }]}
    />
  );
}
