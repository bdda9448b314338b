import {
  enumeration,
  fields,
  flag,
  graphqlModule,
  id,
  json,
  listTypes,
  many,
  mutations,
  nullable,
  one,
  queries,
  text,
} from '../../../graphql/index.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import { type Device, DeviceCreate, DeviceUpdate, type Presence } from './device.model.js';
import {
  createDevice,
  deleteDevice,
  devices,
  devicesOfLogicalNumber,
  getDevice,
  getDeviceBySerialNumber,
  updateDevice,
} from './device.service.js';

export const DeviceType = auditedType<Device, 'logicalNumberId'>('Device', 'A payment terminal.', {
  serialNumber: text('Serial number, unique in the company.'),
  enabled: flag('Whether the device may access the service.'),
  meta: json(
    'Properties that the device reported, such as brand, model and battery_level; values are texts.',
  ),
  frameworkVersion: nullable(text('Installed version of the framework. Null until the device reports it.')),
});

export const DevicePresence = enumeration<Presence>(
  'DevicePresence',
  'How long ago the terminal of a device last sent a request that was admitted, by the times of the settings.',
  {
    never_seen: 'It never did.',
    offline: 'At least the time of PRESENCE_OFFLINE_AFTER, 24 hours unless set.',
    stale:
      'At least the time of PRESENCE_STALE_AFTER, 15 minutes unless set, and less than that for OFFLINE.',
    online: 'Less than the time for STALE.',
  },
);

export const DeviceList = listTypes(devices, DeviceType, {}, { presence: DevicePresence });

export const deviceGraphql = graphqlModule(
  queries(DeviceList, {
    keys: { serialNumber: { get: getDeviceBySerialNumber, description: 'Serial number of the device.' } },
  }),
  mutations(DeviceList, {
    get: getDevice,
    create: {
      model: DeviceCreate,
      run: createDevice,
      descriptions: { enabled: 'Whether the device may access the service. Defaults to true.' },
    },
    update: { model: DeviceUpdate, run: updateDevice },
    delete: {
      run: deleteDevice,
      description: 'Deletes a device, which ends its access to the service. Its transactions stay.',
    },
    references: { logicalNumberId: 'LogicalNumber' },
    changes: {
      deviceEnable: {
        description: 'Allows a device to access the service.',
        run: (work, device) => updateDevice(work, device, { enabled: true }),
      },
      deviceDisable: {
        description: 'Denies a device access to the service.',
        run: (work, device) => updateDevice(work, device, { enabled: false }),
      },
      deviceAssign: {
        description: 'Assigns a device to a logical number, or to none.',
        args: {
          logicalNumberId: nullable(
            id('Global id of the logical number. Required; null leaves the device without one.'),
          ),
        },
        run: updateDevice,
      },
    },
  }),
  fields(DeviceType, {
    logicalNumber: one(
      LogicalNumberList,
      'logicalNumberId',
      'Logical number that the device works under. Null if it has none.',
    ),
  }),
  fields(LogicalNumberType, {
    devices: many(DeviceList, devicesOfLogicalNumber, 'id', 'Devices that work under the number.'),
  }),
);
