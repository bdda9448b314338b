import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useQuery } from '../../api/query';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { Facts, Time } from '../../ui/facts';
import { PresenceBadge } from './presence';
import { words } from './words';

const DEVICE = graphql(`
  query DeviceRecord($id: ID!) {
    device(id: $id) {
      id
      revision
      serialNumber
      enabled
      frameworkVersion
      presence
      lastSeenAt
      createdAt
      updatedAt
      logicalNumber {
        id
        number
      }
    }
  }
`);

export function DevicePanel({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  const query = useQuery(DEVICE, { id }, ['DEVICE', 'LOGICAL_NUMBER']);
  return (
    <RecordPanel
      query={query}
      record={({ device }) => device}
      title={({ serialNumber }) => serialNumber}
      onClose={onClose}
      tabs={(device) => [
        {
          id: 'facts',
          title: text.devices,
          content: (
            <Facts
              facts={[
                { name: text.presence, value: <PresenceBadge presence={device.presence} /> },
                { name: text.lastSeen, value: <Time at={device.lastSeenAt} /> },
                { name: text.version, value: device.frameworkVersion },
                { name: text.logicalNumber, value: device.logicalNumber?.number },
              ]}
            />
          ),
        },
      ]}
    />
  );
}
