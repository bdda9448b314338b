import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { useMay } from '../../app/session';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { TransactionsOf } from '../transactions/columns';
import { DeviceFacts } from './device-facts';
import { DeviceForm } from './device-form';
import { DeviceMenu } from './device-menu';
import { DeviceToken } from './device-token';
import { DeviceManifest } from './manifest';
import { TerminalDeliveries } from './terminal-lists';
import { useText } from './words';

const DEVICE = graphql(`
  query DeviceRecord($id: ID!) {
    device(id: $id) {
      id
      revision
      serialNumber
      enabled
      frameworkVersion
      meta
      presence
      lastSeenAt
      lastRefusal { code at }
      createdAt
      createdBy { name }
      logicalNumber {
        id
        number
        group { id name }
      }
    }
  }
`);

export default function DevicePanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const mayAdminister = useMay('ADMIN');
  const query = useQuery(DEVICE, { id }, ['DEVICE', 'PRESENCE', 'LOGICAL_NUMBER', 'GROUP']);
  return (
    <RecordPanel
      query={query}
      record={({ device }) => device}
      title={({ serialNumber }) => serialNumber}
      edit={(device, close) => <DeviceForm device={device} onClose={close} />}
      actions={(device) => <DeviceMenu device={device} />}
      history="DEVICE"
      onClose={onClose}
      tabs={(device) => [
        {
          id: 'facts',
          title: text.facts,
          content: (
            <>
              <DeviceFacts device={device} />
              {mayAdminister && <DeviceToken id={id} />}
            </>
          ),
        },
        { id: 'manifest', title: text.manifest, content: <DeviceManifest id={id} /> },
        {
          id: 'transactions',
          title: text.transactions,
          content: <TransactionsOf filter={{ serialNumber: { eq: device.serialNumber } }} />,
        },
        {
          id: 'deliveries',
          title: text.deliveries,
          content: <TerminalDeliveries id={device.logicalNumber?.id ?? id} />,
        },
      ]}
    />
  );
}
