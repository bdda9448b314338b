import type { ReactNode } from 'react';

import { fragment, mutations, useRecord } from '../../api';
import type { DeviceRecordFragment } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import { useHistoryLabel } from '../../record/history-words';
import { RecordPanel } from '../../record/panel';
import { Facts, Shown, SmallTable } from '../../table/shown';
import { useFormat } from '../../text';
import { Ago, Section } from '../../ui/facts';
import { Icon } from '../../ui/icon';
import { Empty, Loading, PageFailure } from '../../ui/states';
import { TerminalCommands } from '../commands/terminal-commands';
import { EffectiveParameters } from '../logical-numbers/effective-parameters';
import { Deliveries } from '../notifications/deliveries';
import { TransactionsOf } from '../transactions/columns';
import { NUMBER, useDeviceActions } from './device-actions';
import { DeviceLogs } from './device-logs';
import { useText } from './words';

const DEVICE = fragment(`
  fragment DeviceRecord on Device {
    id revision serialNumber enabled tags notes frameworkVersion meta presence lastSeenAt
    lastRefusal { code at }
    software { state since attempts reason detail appVersion { id number app { name } } }
    createdAt
    createdBy { name }
    logicalNumber { id number group { id name } }
  }
`);

export default function DevicePanel(): ReactNode {
  const text = useText();
  const actions = useDeviceActions();
  return (
    <RecordPanel
      fragment={DEVICE}
      follows={['PRESENCE', 'LOGICAL_NUMBER', 'GROUP', 'APP_VERSION']}
      edit={{
        fields: [NUMBER, { name: 'enabled', label: text.mayWork }, 'tags', 'notes'],
        document: mutations.deviceUpdate,
      }}
      actions={(device) => <RowMenu actions={actions} row={device} />}
      tabs={(device) => ({
        facts: (
          <>
            <Facts
              record={device}
              facts={[
                'presence',
                'lastSeenAt',
                { id: 'state', value: <Shown name="enabled" record={device} /> },
                'logicalNumber',
                { id: 'group', of: { ...device.logicalNumber } },
                'tags',
                'notes',
                'createdAt',
                'createdBy',
              ]}
            />
            <Report {...device} />
          </>
        ),
        software: (
          <SmallTable
            rows={device.software}
            rowKey={({ appVersion }) => appVersion.id}
            columns={[
              'appVersion',
              'state',
              'since',
              'attempts',
              { id: 'reason', render: ({ reason, detail }) => [reason, detail].filter(Boolean).join(': ') },
            ]}
          />
        ),
        manifest: <DeviceManifest id={device.id} />,
        transactions: <TransactionsOf filter={{ serialNumber: { eq: device.serialNumber } }} />,
        deliveries: <Deliveries id={device.logicalNumber?.id ?? device.id} />,
        commands: <TerminalCommands id={device.id} />,
        logs: <DeviceLogs key={device.id} id={device.id} />,
      })}
    >
      {(device) => <Refusal {...device} />}
    </RecordPanel>
  );
}

/** The report of the terminal in words. */
function Report(props: Pick<DeviceRecordFragment, 'meta' | 'frameworkVersion'>): ReactNode {
  const text = useText();
  const label = useHistoryLabel();
  const format = useFormat();
  const shown = (name: string, value: string): string => {
    if (name === 'ssl') return value === '1' ? text.yes : text.no;
    const isShare = ['battery_level', 'gprs_signal'].includes(name) && /^\d+$/.test(value);
    return isShare ? format.share(Number(value) / 100) : value;
  };
  const properties = Object.entries(props.meta as Readonly<Record<string, string>>).map(([name, value]) => {
    return { id: name, title: label(`meta.${name}`), value: shown(name, value) };
  });
  return (
    <Section title={text.reported}>
      <Facts facts={['frameworkVersion', ...properties]} record={props} />
    </Section>
  );
}

/** Why the terminal was refused last, and what to do; short if it was admitted since. */
function Refusal({ lastRefusal, lastSeenAt }: DeviceRecordFragment): ReactNode {
  const text = useText();
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

const MANIFEST = fragment(`
  fragment DeviceManifestRecord on Device {
    id
    logicalNumber {
      group { name }
      effectiveParameters { key value description source overridden { value } }
    }
    manifest {
      apps { name version label size modules { name version } }
      files { name size }
      omissions { kind name reason }
    }
  }
`);

const FOLLOWS = ['LOGICAL_NUMBER', 'GROUP', 'APP_VERSION', 'APP', 'FILE', 'PARAMETER'] as const;

/** Apps, files and parameters that the terminal gets, each with what it comes from, and what is left out. */
function DeviceManifest({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const { data, error, reload } = useRecord(MANIFEST, id, FOLLOWS);
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data?.node) return <Loading />;
  const { manifest, logicalNumber } = data.node;
  if (!manifest || !logicalNumber) return <Empty>{text.noManifest}</Empty>;
  return (
    <>
      {manifest.omissions.length > 0 && (
        <div className="note note-warning">
          <div>
            <strong>{text.omitted}</strong>
            <ul>
              {manifest.omissions.map(({ kind, name, reason }) => (
                <li key={`${kind} ${name}`}>
                  {text[kind]} {name}: {text[reason]}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <Section title={text.apps}>
        <SmallTable
          rows={manifest.apps}
          rowKey={({ name }) => name}
          empty={text.noApps}
          hasTitles={false}
          columns={[
            {
              id: 'name',
              render: ({ name, version, modules }) => (
                <>
                  {name} {version}
                  <small>{modules.map((module) => ` ${module.name} ${module.version}`).join(',')}</small>
                </>
              ),
            },
            'label',
            'size',
          ]}
        />
      </Section>
      <Section title={text.files}>
        <SmallTable
          rows={manifest.files}
          rowKey={({ name }) => name}
          empty={text.noFiles}
          hasTitles={false}
          columns={['name', 'size']}
        />
      </Section>
      <Section title={text.parameters}>
        <EffectiveParameters {...logicalNumber} />
      </Section>
    </>
  );
}
