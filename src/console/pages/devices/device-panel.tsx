import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useQuery } from '../../api/query';
import { useMay } from '../../app/session';
import { RecordHistory } from '../../record/history';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Facts, Time } from '../../ui/facts';
import { words as common } from '../../ui/words';
import { DeviceForm } from './device-form';
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
      logicalNumber { id number }
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
  const commonText = useTexts(common);
  const mayWrite = useMay('WRITE');
  const [isEditing, setEditing] = useState(false);
  const query = useQuery(DEVICE, { id }, ['DEVICE', 'LOGICAL_NUMBER']);
  return (
    <RecordPanel
      query={query}
      record={({ device }) => device}
      title={({ serialNumber }) => serialNumber}
      actions={() =>
        mayWrite && (
          <Button icon="edit" onPress={() => setEditing(!isEditing)}>
            {commonText.edit}
          </Button>
        )
      }
      onClose={onClose}
      tabs={(device) => [
        {
          id: 'facts',
          title: text.facts,
          content: isEditing ? (
            <DeviceForm device={device} onClose={() => setEditing(false)} />
          ) : (
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
        { id: 'history', title: text.history, content: <RecordHistory id={id} type="DEVICE" /> },
      ]}
    />
  );
}
