import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { DeviceRowFragment } from '../../gql/graphql';
import { DialogButton } from '../../record/dialog-button';
import { findAppVersions, findGroups, findLogicalNumbers } from '../../record/find';
import type { Column } from '../../table/columns';
import type { FilterField } from '../../table/filter';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { optionsOf } from '../../text';
import { Ago } from '../../ui/facts';
import { useDeviceActions, useNewDevice } from './device-actions';
import { EnabledBadge, PresenceBadge, PRESENCES } from './presence';
import { useText } from './words';

const DevicePanel = lazy(() => import('./device-panel'));
const EnrolDialog = lazy(() => import('./enrol-dialog'));

const DEVICE = graphql(`
  fragment DeviceRow on Device {
    id serialNumber enabled frameworkVersion presence lastSeenAt createdAt meta
    lastRefusal { at }
    logicalNumber { number group { name } }
  }
`);

export default function DevicesPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="devices"
      source={listOf(DEVICE, 'PRESENCE', 'LOGICAL_NUMBER')}
      columns={columnsOf(text)}
      filters={filtersOf(text)}
      rowActions={useDeviceActions()}
      actions={
        <>
          <DialogButton {...useNewDevice()} />
          <DialogButton
            label={text.enrol}
            look="primary"
            dialog={(close) => <EnrolDialog onClose={close} />}
          />
        </>
      }
      panel={<DevicePanel />}
      empty={text.noDevices}
    />
  );
}

type Words = ReturnType<typeof useText>;
/** Properties that the terminal reported. */
type Reported = Readonly<Record<string, string>>;

const columnsOf = (text: Words): readonly Column<DeviceRowFragment>[] => [
  { id: 'serialNumber', title: text.serialNumber, order: 'SERIAL_NUMBER', width: 140, kind: 'code' },
  { id: 'presence', title: text.presence, width: 110, render: (row) => <PresenceBadge {...row} /> },
  { id: 'enabled', title: text.state, width: 115, render: (row) => <EnabledBadge {...row} /> },
  { id: 'logicalNumber', title: text.logicalNumber, width: 110, render: (row) => row.logicalNumber?.number },
  { id: 'group', title: text.group, width: 130, render: (row) => row.logicalNumber?.group?.name },
  { id: 'model', title: text.model, width: 90, render: ({ meta }) => (meta as Reported).model },
  { id: 'frameworkVersion', title: text.version, order: 'FRAMEWORK_VERSION', width: 140 },
  { id: 'lastSeenAt', title: text.lastSeen, order: 'LAST_SEEN_AT', width: 130, kind: 'ago' },
  {
    id: 'lastRefusal',
    title: text.refused,
    width: 150,
    isHidden: true,
    render: ({ lastRefusal }) => lastRefusal && <Ago at={lastRefusal.at} />,
  },
  { id: 'createdAt', title: text.created, order: 'CREATED_AT', width: 150, isHidden: true, kind: 'ago' },
];

const filtersOf = (text: Words): readonly FilterField[] => [
  { id: 'serialNumber', title: text.serialNumber, kind: 'text' },
  { id: 'presence', title: text.presence, kind: 'choice', options: optionsOf(text, PRESENCES) },
  { id: 'enabled', title: text.enabled, kind: 'flag' },
  { id: 'group', title: text.group, kind: 'reference', find: findGroups },
  { id: 'hasLogicalNumber', title: text.hasNumber, kind: 'flag' },
  { id: 'logicalNumberId', title: text.logicalNumber, kind: 'reference', find: findLogicalNumbers },
  { id: 'model', title: text.model, kind: 'text' },
  { id: 'frameworkVersion', title: text.version, kind: 'text', comparator: 'startsWith' },
  { id: 'version', title: text.hasVersion, kind: 'reference', comparator: 'eq', find: findAppVersions },
  {
    id: 'lacksVersion',
    lacks: 'version',
    title: text.lacksVersion,
    kind: 'reference',
    comparator: 'eq',
    find: findAppVersions,
  },
  { id: 'refused', title: text.wasRefused, kind: 'flag' },
  { id: 'hasReported', title: text.hasReported, kind: 'flag' },
  { id: 'lastSeenAt', title: text.lastSeen, kind: 'time' },
];
