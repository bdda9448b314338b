import { z } from 'zod';

import {
  auditShape,
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import { DeviceCreate, DeviceUpdate, type Device } from './device.model.js';
import {
  createDevice,
  deleteDevice,
  getDevice,
  getDeviceBySerialNumber,
  listDevices,
  updateDevice,
} from './device.service.js';

const DeviceShape = z
  .strictObject({
    id: z.int(),
    serial_number: z.string(),
    enabled: z.boolean(),
    logical_number_id: z.int().nullable(),
    meta: z.record(z.string(), z.string()).describe('What the terminal last said of itself.'),
    framework_version: z.string().nullable(),
    ...auditShape,
  })
  .meta({ id: 'Device', description: 'A payment terminal.' });

function deviceFields(device: Device) {
  return {
    id: device.id,
    serial_number: device.serialNumber,
    enabled: device.enabled,
    logical_number_id: device.logicalNumberId,
    meta: device.meta,
    framework_version: device.frameworkVersion,
    ...auditFields(device),
  };
}

const answer = (device: Device, status?: 201) =>
  recordResponse('device', deviceFields(device), device, status);

/** /v1/devices (contract 17): read by id, changed and deleted by serial number. */
export const deviceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/devices',
    scope: 'read',
    summary: 'List devices',
    paged: true,
    response: listShape('devices', 'device', DeviceShape),
    read: async (work, call) =>
      listResponse('devices', 'device', await listDevices(work, call.page), deviceFields),
  },
  {
    method: 'GET',
    path: '/devices/{device_id}',
    scope: 'read',
    summary: 'Read a device by its id',
    response: recordShape('device', DeviceShape),
    read: async (work, call) => answer(await getDevice(work, call.id('device_id', 'device'))),
  },
  {
    method: 'POST',
    path: '/devices',
    scope: 'write',
    summary: 'Create a device',
    body: DeviceCreate,
    status: 201,
    response: recordShape('device', DeviceShape),
    write: async (work, call) => answer(await createDevice(work, call.input), 201),
  },
  {
    method: 'PUT',
    path: '/devices/{serial_number}',
    scope: 'write',
    summary: 'Change a device by its serial number',
    body: DeviceUpdate,
    response: recordShape('device', DeviceShape),
    write: async (work, call) => {
      const device = await getDeviceBySerialNumber(work, call.name('serial_number', 'device'));
      call.ifMatch('device', device);
      return answer(await updateDevice(work, device, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/devices/{serial_number}',
    scope: 'write',
    summary: 'Delete a device by its serial number',
    description: 'The equipment can no longer access the service; its transactions stay.',
    response: EmptyShape,
    write: async (work, call) => {
      const device = await getDeviceBySerialNumber(work, call.name('serial_number', 'device'));
      call.ifMatch('device', device);
      await deleteDevice(work, device);
      return EMPTY;
    },
  },
];
