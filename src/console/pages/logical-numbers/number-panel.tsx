import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { DialogButton } from '../../record/dialog-button';
import { RecordLink } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { SmallTable } from '../../table/small-table';
import { Facts, Section, Time } from '../../ui/facts';
import { Empty } from '../../ui/states';
import { PresenceBadge } from '../devices/presence';
import { TerminalDeliveries } from '../devices/terminal-lists';
import { TransactionsOf } from '../transactions/columns';
import NewParameter from '../values/new-parameter';
import { EffectiveParameters } from './effective-parameters';
import { NUMBER_DELETE } from './number-delete';
import { NumberForm } from './number-form';
import { NumberVersions, type LogicalNumber } from './number-versions';
import { useText } from './words';

const NUMBER = graphql(`
  query LogicalNumberRecord($id: ID!) {
    logicalNumber(id: $id) {
      id
      revision
      number
      createdAt
      createdBy { name }
      appVersions(first: 100) { nodes { id } }
      group {
        id
        name
        appVersions(first: 100) {
          nodes {
            id
            number
            app { name }
          }
        }
      }
      devices(first: 100) { nodes { id serialNumber presence lastSeenAt } }
      effectiveParameters {
        key
        value
        description
        source
        overridden { id value }
      }
    }
  }
`);

export default function NumberPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const follows = ['LOGICAL_NUMBER', 'DEVICE', 'GROUP', 'PARAMETER', 'APP_VERSION'] as const;
  const query = useQuery(NUMBER, { id }, follows);
  return (
    <RecordPanel
      query={query}
      record={({ logicalNumber }) => logicalNumber}
      title={({ number }) => number}
      edit={(logicalNumber, close) => <NumberForm logicalNumber={logicalNumber} onClose={close} />}
      remove={{ document: NUMBER_DELETE, changes: 'LOGICAL_NUMBER' }}
      history="LOGICAL_NUMBER"
      onClose={onClose}
      tabs={(logicalNumber) => [
        { id: 'facts', title: text.facts, content: <NumberFacts logicalNumber={logicalNumber} /> },
        {
          id: 'versions',
          title: text.appVersions,
          content: <NumberVersions logicalNumber={logicalNumber} />,
        },
        { id: 'parameters', title: text.parameters, content: <Parameters logicalNumber={logicalNumber} /> },
        {
          id: 'transactions',
          title: text.transactions,
          content: <TransactionsOf filter={{ logicalNumber: { eq: logicalNumber.number } }} />,
        },
        { id: 'deliveries', title: text.deliveries, content: <TerminalDeliveries id={id} /> },
      ]}
    />
  );
}

interface PartProps {
  readonly logicalNumber: LogicalNumber;
}

function NumberFacts({ logicalNumber }: PartProps): ReactNode {
  const text = useText();
  const { group, createdAt, createdBy, devices } = logicalNumber;
  return (
    <>
      <Facts
        facts={[
          { name: text.group, value: group && <RecordLink page="/groups" record={group} /> },
          { name: text.created, value: <Time at={createdAt} /> },
          { name: text.createdBy, value: createdBy?.name },
        ]}
      />
      <Section title={text.devices}>
        {devices.nodes.length === 0 && <Empty>{text.noDevices}</Empty>}
        <SmallTable
          rows={devices.nodes}
          hasTitles={false}
          columns={[
            { id: 'serialNumber', title: text.serialNumber, page: '/devices' },
            { id: 'presence', title: text.presence, render: (device) => <PresenceBadge {...device} /> },
            { id: 'lastSeenAt', title: text.lastSeen, kind: 'ago', align: 'end' },
          ]}
        />
      </Section>
    </>
  );
}

function Parameters({ logicalNumber }: PartProps): ReactNode {
  const text = useText();
  const { id } = logicalNumber;
  return (
    <>
      <div className="buttons">
        <DialogButton
          label={text.newParameter}
          dialog={(close) => <NewParameter owner={{ logicalNumberId: id }} onClose={close} />}
        />
        <Link
          className="button button-quiet"
          to="/parameters"
          search={{ filter: { logicalNumberId: { eq: id } } }}
        >
          {text.ownParameters}
        </Link>
      </div>
      <EffectiveParameters logicalNumber={logicalNumber} />
    </>
  );
}
