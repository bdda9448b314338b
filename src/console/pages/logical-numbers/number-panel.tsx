import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { LogicalNumberRecordFragment } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import { creating, DialogButton } from '../../record/dialog-button';
import { EditRecord } from '../../record/edit-record';
import { useShownValue } from '../../record/form-field';
import { nameOf } from '../../record/link';
import { MoreNote, wholeIds } from '../../record/link-list';
import { RecordPanel } from '../../record/panel';
import { Facts, SmallTable } from '../../table/shown';
import { Section } from '../../ui/facts';
import { Empty } from '../../ui/states';
import { Deliveries } from '../notifications/deliveries';
import { TransactionsOf } from '../transactions/columns';
import { useNewParameter } from '../values/owner';
import { EffectiveParameters } from './effective-parameters';
import { NUMBER_ACTIONS } from './number-actions';
import { useText } from './words';

const NUMBER = fragment(`
  fragment LogicalNumberRecord on LogicalNumber {
    id revision number createdAt merchantName merchantAddress tags notes
    createdBy { name }
    appVersions(first: 100) { nodes { id } pageInfo { hasNextPage } }
    group {
      id name
      appVersions(first: 100) {
        pageInfo { hasNextPage }
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
      edit={{
        fields: [
          'number',
          { name: 'groupId', isOptional: true },
          'merchantName',
          'merchantAddress',
          'tags',
          'notes',
        ],
        document: mutations.logicalNumberUpdate,
        note: text.moveHelp,
      }}
      remove={mutations.logicalNumberDelete}
      actions={(number) => <RowMenu actions={NUMBER_ACTIONS} row={number} />}
      tabs={(logicalNumber) => ({
        facts: (
          <>
            <Facts
              facts={['group', 'merchantName', 'merchantAddress', 'tags', 'notes', 'createdAt', 'createdBy']}
              record={logicalNumber}
            />
            <Section title={text.devices}>
              <SmallTable
                rows={logicalNumber.devices.nodes}
                empty={text.noDevices}
                hasTitles={false}
                columns={[
                  { id: 'serialNumber', page: '/devices' },
                  'presence',
                  { id: 'lastSeenAt', align: 'end' },
                ]}
              />
            </Section>
          </>
        ),
        appVersions: <NumberVersions logicalNumber={logicalNumber} />,
        parameters: <Parameters logicalNumber={logicalNumber} />,
        transactions: <TransactionsOf filter={{ logicalNumber: { eq: logicalNumber.number } }} />,
        deliveries: <Deliveries id={logicalNumber.id} />,
      })}
    />
  );
}

function Parameters({ logicalNumber }: PartProps): ReactNode {
  const text = useText();
  const { id } = logicalNumber;
  return (
    <>
      <div className="buttons">
        <DialogButton {...creating(useNewParameter({ logicalNumberId: id }))} />
        <Link
          className="button button-quiet"
          to="/parameters"
          search={{ filter: { logicalNumberId: { eq: id } } }}
        >
          {text.ownParameters}
        </Link>
      </div>
      <EffectiveParameters {...logicalNumber} />
    </>
  );
}

/** The app versions of the group, and which of them the terminals of the logical number get. */
function NumberVersions({ logicalNumber }: PartProps): ReactNode {
  const text = useText();
  const shown = useShownValue();
  const mayWrite = useMay('WRITE');
  const [saved, setSaved] = useState(0);
  const { id, revision, group, appVersions } = logicalNumber;
  if (!group) return <Empty>{text.noGroup}</Empty>;
  const options = group.appVersions.nodes.map((each) => ({ value: each.id, label: nameOf(each) }));
  if (options.length === 0) return <Empty>{text.noGroupVersions}</Empty>;
  const record = { id, revision, appVersionIds: appVersions.nodes.map((each) => each.id).toSorted() };
  const field = { name: 'appVersionIds', options, isMany: true };
  const list = wholeIds(appVersions) ? group.appVersions : appVersions;
  if (!mayWrite || !wholeIds(list)) {
    return (
      <>
        <MoreNote list={list} isFixed />
        <p>{shown(field, record)}</p>
      </>
    );
  }
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
