import { z } from 'zod';

import { auditShape, byId, byName, fieldsOf, resourceRoutes } from '../../../rest/index.js';
import { DeviceCreateBody, DeviceUpdateBody, type Device } from './device.model.js';
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
    meta: z
      .record(z.string(), z.string())
      .describe('Last report of the terminal: brand, model, battery level and the like.'),
    framework_version: z.string().nullable(),
    ...auditShape,
  })
  .meta({ id: 'Device', description: 'A payment terminal.' });

/** /v1/devices (contract 17): read by id, updated and deleted by serial number. */
export const deviceRoutes = resourceRoutes<Device>({
  path: '/devices',
  name: 'device',
  key: byName('serial_number', 'device', getDeviceBySerialNumber),
  fields: fieldsOf(DeviceShape).from<Device>({ tags: 'omitted', notes: 'omitted' }),
  list: { summary: 'List devices', handle: listDevices },
  read: { summary: 'Read a device by its id', key: byId('device_id', 'device', getDevice) },
  create: { summary: 'Create a device', body: DeviceCreateBody, handle: createDevice },
  update: { summary: 'Change a device by its serial number', body: DeviceUpdateBody, handle: updateDevice },
  delete: {
    summary: 'Delete a device by its serial number',
    description: 'The terminal can no longer access the service. Its transactions are kept.',
    handle: deleteDevice,
  },
});
