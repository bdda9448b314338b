import { useState, type ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { DeviceRecordFragment } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { RowMenu } from '../../record/actions';
import { creating, DialogButton } from '../../record/dialog-button';
import { useFieldName } from '../../record/history-words';
import { ENDS_AT_ONCE, useKeepOldField } from '../../record/keep-old';
import { RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Ago, Copyable, Facts, Section, Time } from '../../ui/facts';
import { Icon } from '../../ui/icon';
import { notify } from '../../ui/toasts';
import { Deliveries } from '../notifications/deliveries';
import { TransactionsOf } from '../transactions/columns';
import { useDeviceActions, useFields } from './device-actions';
import { DeviceManifest } from './manifest';
import { EnabledBadge, PresenceBadge } from './presence';
import { useText } from './words';

const DEVICE = graphql(`
  fragment DeviceRecord on Device {
    id revision serialNumber enabled frameworkVersion meta presence lastSeenAt
    lastRefusal { code at }
    createdAt
    createdBy { name }
    logicalNumber { id number group { id name } }
  }
`);

interface PartProps {
  readonly device: DeviceRecordFragment;
}

export default function DevicePanel(): ReactNode {
  const text = useText();
  const mayAdminister = useMay('ADMIN');
  const actions = useDeviceActions();
  const fields = useFields();
  return (
    <RecordPanel
      fragment={DEVICE}
      follows={['PRESENCE', 'LOGICAL_NUMBER', 'GROUP']}
      edit={{ fields, document: mutations.deviceUpdate }}
      actions={(device) => <RowMenu actions={actions} row={device} />}
      tabs={({ logicalNumber: number, ...device }) => [
        {
          facts: [
            { name: text.presence, value: <PresenceBadge presence={device.presence} /> },
            { name: text.lastSeen, value: <Time at={device.lastSeenAt} /> },
            { name: text.state, value: <EnabledBadge enabled={device.enabled} /> },
            {
              name: text.logicalNumber,
              value: number && <RecordLink page="/logical-numbers" record={number} />,
            },
            { name: text.group, value: number?.group && <RecordLink page="/groups" record={number.group} /> },
            { name: text.created, value: <Time at={device.createdAt} /> },
            { name: text.createdBy, value: device.createdBy?.name },
          ],
          content: (
            <>
              <Report {...device} />
              {mayAdminister && <DeviceToken id={device.id} />}
            </>
          ),
        },
        { id: 'manifest', title: text.manifest, content: <DeviceManifest id={device.id} /> },
        {
          id: 'transactions',
          title: text.transactions,
          content: <TransactionsOf filter={{ serialNumber: { eq: device.serialNumber } }} />,
        },
        {
          id: 'deliveries',
          title: text.deliveries,
          content: <Deliveries id={number?.id ?? device.id} />,
        },
      ]}
    >
      {(device) => <Refusal device={device} />}
    </RecordPanel>
  );
}

/** The report of the terminal in words. */
function Report({
  meta,
  frameworkVersion,
}: Pick<PartProps['device'], 'meta' | 'frameworkVersion'>): ReactNode {
  const text = useText();
  const fieldName = useFieldName();
  const format = useFormat();
  const shown = (name: string, value: string): string => {
    if (name === 'ssl') return value === '1' ? text.yes : text.no;
    const isShare = ['battery_level', 'gprs_signal'].includes(name) && /^\d+$/.test(value);
    return isShare ? format.share(Number(value) / 100) : value;
  };
  const properties = Object.entries(meta as Readonly<Record<string, string>>);
  return (
    <Section title={text.reported}>
      <Facts
        facts={[
          { name: text.version, value: frameworkVersion },
          ...properties.map(([name, value]) => ({
            name: fieldName(`meta.${name}`),
            value: shown(name, value),
          })),
        ]}
      />
    </Section>
  );
}

/** Why the terminal was refused last, and what to do; short if it was admitted since. */
function Refusal({ device }: PartProps): ReactNode {
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
  const issue = creating({
    title: text.issueToken,
    empty: ENDS_AT_ONCE,
    fields: [useKeepOldField()],
    document: mutations.deviceTokenIssue,
    submit: text.issueToken,
    variables: (given) => ({ deviceId: id, ...given }),
    onCreated: (payload) => setToken(payload.token ?? null),
  });
  return (
    <Section
      title={text.token}
      actions={
        <div className="buttons">
          <DialogButton {...issue} icon="key" scope="ADMIN" />
          <ActionButton
            variables={{ deviceId: id }}
            isDangerous
            label={text.revokeToken}
            help={text.revokeEffect}
            document={mutations.deviceTokenRevoke}
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
