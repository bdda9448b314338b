import { Arg, Ctx, ID, Resolver } from 'type-graphql';

import {
  face,
  fields,
  flag,
  IdArg,
  json,
  listTypes,
  many,
  mutations,
  nullable,
  one,
  present,
  queries,
  RecordMutation,
  text,
  type GraphqlContext,
} from '../../graphql/index.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import { logicalNumbers } from '../logical-number/logical-number.service.js';
import { auditedType } from '../user/audited.graphql.js';
import { DeviceCreate, DeviceUpdate, type Device } from './device.model.js';
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

const DeviceList = listTypes(devices, DeviceType);

const deviceMutations = mutations(DeviceList, {
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
});

@Resolver()
class DeviceIntents {
  @RecordMutation(DeviceList, 'Allows a device to access the service.')
  deviceEnable(@IdArg('Device') id: string, @Ctx() ctx: GraphqlContext) {
    return deviceMutations.update(ctx, id, () => ({ enabled: true }));
  }

  @RecordMutation(DeviceList, 'Denies a device access to the service.')
  deviceDisable(@IdArg('Device') id: string, @Ctx() ctx: GraphqlContext) {
    return deviceMutations.update(ctx, id, () => ({ enabled: false }));
  }

  @RecordMutation(DeviceList, 'Assigns a device to a logical number, or to none.')
  deviceAssign(
    @IdArg('Device') id: string,
    @Ctx() ctx: GraphqlContext,
    @Arg('logicalNumberId', () => ID, {
      nullable: true,
      description: 'Global id of the logical number. Required; null leaves the device without one.',
    })
    logicalNumberId?: string | null,
  ) {
    return deviceMutations.update(
      ctx,
      id,
      () => ({ logicalNumberId: present('logicalNumberId', logicalNumberId) }),
      [],
    );
  }
}

export const deviceFace = face(
  queries(DeviceList, {
    keys: { serialNumber: { get: getDeviceBySerialNumber, description: 'Serial number of the device.' } },
  }),
  deviceMutations,
  DeviceIntents,
  fields(DeviceType, {
    logicalNumber: one(
      LogicalNumberType,
      logicalNumbers,
      'logicalNumberId',
      'Logical number that the device works under. Null if it has none.',
    ),
  }),
  fields(LogicalNumberType, {
    devices: many(DeviceList, devicesOfLogicalNumber, 'id', 'Devices that work under the number.'),
  }),
);
