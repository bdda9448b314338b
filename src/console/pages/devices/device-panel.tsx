import { useState, type ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { useMay } from '../../app/session';
import type { DeviceRecordQuery } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { RowMenu } from '../../record/actions';
import { EditRecord } from '../../record/fields';
import { useFieldName } from '../../record/history-words';
import { RecordLink, referenceOf } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Ago, Copyable, Facts, Section, Time } from '../../ui/facts';
import { Icon } from '../../ui/icon';
import { notify } from '../../ui/toasts';
import { TransactionsOf } from '../transactions/columns';
import { DEVICE_EDIT, inputOf, useDeviceActions, useFields } from './device-actions';
import { DeviceManifest } from './manifest';
import { EnabledBadge, PresenceBadge } from './presence';
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

const ISSUE = graphql(`
  mutation DeviceTokenIssue($deviceId: ID!) {
    deviceTokenIssue(deviceId: $deviceId) {
      token
      userErrors { code message path rule params }
    }
  }
`);

const REVOKE = graphql(`
  mutation DeviceTokenRevoke($deviceId: ID!) {
    deviceTokenRevoke(deviceId: $deviceId) { userErrors { code message path rule params } }
  }
`);

type Device = NonNullable<DeviceRecordQuery['device']>;

export default function DevicePanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const mayAdminister = useMay('ADMIN');
  const actions = useDeviceActions();
  const fields = useFields();
  const query = useQuery(DEVICE, { id }, ['DEVICE', 'PRESENCE', 'LOGICAL_NUMBER', 'GROUP']);
  return (
    <RecordPanel
      query={query}
      record={({ device }) => device}
      title={({ serialNumber }) => serialNumber}
      edit={(device, close) => (
        <EditRecord
          record={device}
          present={{ enabled: device.enabled, logicalNumber: referenceOf(device.logicalNumber) }}
          fields={fields}
          document={DEVICE_EDIT}
          changes={['DEVICE']}
          input={inputOf}
          onClose={close}
        />
      )}
      actions={(device) => <RowMenu actions={actions} row={device} />}
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

/** Fields of a device, what its terminal has reported, and why it was refused last. */
function DeviceFacts({ device }: { readonly device: Device }): ReactNode {
  const text = useText();
  const { logicalNumber, enabled } = device;
  const group = logicalNumber?.group;
  return (
    <>
      <Refusal device={device} />
      <Facts
        facts={[
          { name: text.presence, value: <PresenceBadge presence={device.presence} /> },
          { name: text.lastSeen, value: <Time at={device.lastSeenAt} /> },
          { name: text.state, value: <EnabledBadge enabled={enabled} /> },
          {
            name: text.logicalNumber,
            value: logicalNumber && <RecordLink page="/logical-numbers" record={logicalNumber} />,
          },
          { name: text.group, value: group && <RecordLink page="/groups" record={group} /> },
          { name: text.created, value: <Time at={device.createdAt} /> },
          { name: text.createdBy, value: device.createdBy?.name },
        ]}
      />
      <Section title={text.reported}>
        <Facts facts={useMetaFacts(device)} />
      </Section>
    </>
  );
}

/** The report of the terminal in words. */
function useMetaFacts({ meta, frameworkVersion }: Device): readonly { name: string; value: ReactNode }[] {
  const text = useText();
  const fieldName = useFieldName();
  const format = useFormat();
  const shown = (name: string, value: string): string => {
    if (name === 'ssl') return value === '1' ? text.yes : text.no;
    const isShare = ['battery_level', 'gprs_signal'].includes(name) && /^\d+$/.test(value);
    return isShare ? format.share(Number(value) / 100) : value;
  };
  const properties = Object.entries(meta as Readonly<Record<string, string>>);
  return [
    { name: text.version, value: frameworkVersion },
    ...properties.map(([name, value]) => ({ name: fieldName(`meta.${name}`), value: shown(name, value) })),
  ];
}

/** Why the terminal was refused last, and what to do; short if it was admitted since. */
function Refusal({ device }: { readonly device: Device }): ReactNode {
  const text = useText();
  const { lastRefusal, lastSeenAt } = device;
  if (!lastRefusal) return null;
  const wasAdmitted = Date.parse(lastSeenAt ?? '') > Date.parse(lastRefusal.at);
  return (
    <div className={wasAdmitted ? 'note' : 'note note-bad'}>
      <Icon name="warning" />
      <p>
        {text[lastRefusal.code]} <Ago at={lastRefusal.at} />.{' '}
        {wasAdmitted ? text.admittedSince : text[`${lastRefusal.code}_ADVICE`]}
      </p>
    </div>
  );
}

/** The token with which a terminal calls the service: shown once after it is issued. For administrators. */
function DeviceToken({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const [token, setToken] = useState<string | null>(null);
  const change = { variables: { deviceId: id }, changes: ['DEVICE'] } as const;
  return (
    <Section
      title={text.token}
      actions={
        <div className="buttons">
          <ActionButton
            {...change}
            icon="key"
            label={text.issueToken}
            help={text.issueEffect}
            document={ISSUE}
            onDone={(payload) => setToken(payload.token ?? null)}
          />
          <ActionButton
            {...change}
            isDangerous
            label={text.revokeToken}
            help={text.revokeEffect}
            document={REVOKE}
            onDone={() => {
              setToken(null);
              notify({ text: text.tokenRevoked });
            }}
          />
        </div>
      }
    >
      {token === null ? (
        <p className="faint">{text.tokenHelp}</p>
      ) : (
        <>
          <p>{text.tokenOnce}</p>
          <Copyable value={token} label={text.token} />
        </>
      )}
    </Section>
  );
}
