import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { LogicalNumberRecordFragment } from '../../gql/graphql';
import { DialogButton } from '../../record/dialog-button';
import { EditRecord } from '../../record/edit-record';
import { shownValue } from '../../record/form-field';
import { nameOf, RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { SmallTable } from '../../table/small-table';
import { Section, Time } from '../../ui/facts';
import { Empty } from '../../ui/states';
import { PresenceBadge } from '../devices/presence';
import { Deliveries } from '../notifications/deliveries';
import { TransactionsOf } from '../transactions/columns';
import NewParameter from '../values/new-parameter';
import { EffectiveParameters } from './effective-parameters';
import { useFields } from './number-actions';
import { useText } from './words';

const NUMBER = graphql(`
  fragment LogicalNumberRecord on LogicalNumber {
    id revision number createdAt
    createdBy { name }
    appVersions(first: 100) { nodes { id } }
    group {
      id name
      appVersions(first: 100) {
        nodes { id number app { name } }
      }
    }
    devices(first: 100) { nodes { id serialNumber presence lastSeenAt } }
    effectiveParameters { key value description source overridden { value } }
  }
`);

interface PartProps {
  readonly logicalNumber: LogicalNumberRecordFragment;
}

export default function NumberPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={NUMBER}
      follows={['DEVICE', 'GROUP', 'PARAMETER', 'APP_VERSION']}
      edit={{ fields: useFields(), document: mutations.logicalNumberUpdate, note: text.losses }}
      remove={mutations.logicalNumberDelete}
      tabs={(logicalNumber) => [
        {
          facts: [
            {
              name: text.group,
              value: logicalNumber.group && <RecordLink page="/groups" record={logicalNumber.group} />,
            },
            { name: text.created, value: <Time at={logicalNumber.createdAt} /> },
            { name: text.createdBy, value: logicalNumber.createdBy?.name },
          ],
          content: (
            <Section title={text.devices}>
              <SmallTable
                rows={logicalNumber.devices.nodes}
                empty={text.noDevices}
                hasTitles={false}
                columns={[
                  { id: 'serialNumber', title: text.serialNumber, page: '/devices' },
                  { id: 'presence', title: text.presence, render: (device) => <PresenceBadge {...device} /> },
                  { id: 'lastSeenAt', title: text.lastSeen, kind: 'ago', align: 'end' },
                ]}
              />
            </Section>
          ),
        },
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
        { id: 'deliveries', title: text.deliveries, content: <Deliveries id={logicalNumber.id} /> },
      ]}
    />
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

/** The app versions of the group, and which of them the terminals of the logical number get. */
function NumberVersions({ logicalNumber }: PartProps): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const [saved, setSaved] = useState(0);
  const { id, revision, group } = logicalNumber;
  if (!group) return <Empty>{text.noGroup}</Empty>;
  const options = group.appVersions.nodes.map((each) => ({ value: each.id, label: nameOf(each) }));
  if (options.length === 0) return <Empty>{text.noGroupVersions}</Empty>;
  const record = {
    id,
    revision,
    appVersionIds: logicalNumber.appVersions.nodes.map((each) => each.id).toSorted(),
  };
  const field = {
    name: 'appVersionIds',
    label: text.appVersions,
    options,
    page: '/app-versions',
    isMany: true,
  } as const;
  if (!mayWrite) return <p>{shownValue(field, record)}</p>;
  return (
    <EditRecord
      key={saved}
      root={null}
      record={record}
      fields={[field]}
      document={mutations.logicalNumberSetAppVersions}
      onClose={() => setSaved(saved + 1)}
    />
  );
}
