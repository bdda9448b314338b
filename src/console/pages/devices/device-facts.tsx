import type { ReactNode } from 'react';

import type { DeviceRecordQuery } from '../../gql/graphql';
import { useFieldName } from '../../record/history-words';
import { RecordLink } from '../../record/link';
import { useFormat } from '../../text/format';
import { Ago, Facts, Section, Time } from '../../ui/facts';
import { Icon } from '../../ui/icon';
import { EnabledBadge, PresenceBadge } from './presence';
import { useText } from './words';

export type Device = NonNullable<DeviceRecordQuery['device']>;

/** Fields of a device, what its terminal has reported, and why it was refused last. */
export function DeviceFacts({ device }: { readonly device: Device }): ReactNode {
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
