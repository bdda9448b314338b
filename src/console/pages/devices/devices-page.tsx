import { lazy, type ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import { DialogButton } from '../../record/dialog-button';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Shown } from '../../table/shown';
import { Ago } from '../../ui/facts';
import { NUMBER, useDeviceActions } from './device-actions';
import { useText } from './words';

const DevicePanel = lazy(() => import('./device-panel'));
const EnrolDialog = lazy(() => import('./enrol-dialog'));

const DEVICE = fragment(`
  fragment DeviceRow on Device {
    id serialNumber enabled frameworkVersion presence lastSeenAt createdAt
    model batteryLevel signal simCardId
    lastRefusal { at }
    tags notes
    logicalNumber { id number group { id name } }
  }
`);

export default function DevicesPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="devices"
      text={text}
      source={listOf(DEVICE, 'PRESENCE', 'LOGICAL_NUMBER')}
      // Together, they fit a window of 1280.
      columns={[
        { id: 'serialNumber', width: 130 },
        { id: 'presence', width: 105 },
        { id: 'enabled', title: text.state, width: 95 },
        { id: 'logicalNumber', width: 110 },
        {
          id: 'group',
          width: 120,
          render: ({ logicalNumber }) => logicalNumber && <Shown name="group" record={logicalNumber} />,
        },
        'model',
        { id: 'frameworkVersion', width: 110 },
        { id: 'lastSeenAt', width: 130 },
        {
          id: 'lastRefusal',
          isHidden: true,
          render: ({ lastRefusal }) => lastRefusal && <Ago at={lastRefusal.at} />,
        },
        { id: 'batteryLevel', isHidden: true },
        { id: 'signal', isHidden: true },
        { id: 'simCardId', isHidden: true },
        { id: 'tags', isHidden: true },
        { id: 'notes', isHidden: true },
        { id: 'createdAt', isHidden: true },
      ]}
      filters={[
        'serialNumber',
        'presence',
        'enabled',
        'tags',
        'group',
        'hasLogicalNumber',
        'logicalNumberId',
        'model',
        'batteryLevel',
        'signal',
        'simCardId',
        'frameworkVersion',
        { id: 'version', title: text.hasVersion },
        { id: 'not.version', title: text.lacksVersion },
        'refused',
        'hasReported',
        'lastSeenAt',
        { id: 'id', title: text.devices, isOfLinks: true },
        { id: 'changedByJob', isOfLinks: true },
      ]}
      rowActions={useDeviceActions()}
      create={{
        title: text.createDevice,
        fields: ['serialNumber', NUMBER, { name: 'enabled', label: text.mayWork, initial: true }, 'tags'],
        document: mutations.deviceCreate,
      }}
      actions={
        <DialogButton
          label={text.enrol}
          icon="add"
          variant="primary"
          dialog={(close) => <EnrolDialog onClose={close} />}
        />
      }
      panel={<DevicePanel />}
    />
  );
}
