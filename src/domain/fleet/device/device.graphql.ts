import * as g from '../../../graphql/index.js';
import { errorAt } from '../../../platform/errors.js';
import { normalized } from '../../../platform/validate.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import { DESCRIBED_FIELDS, TAGS_FILTER } from '../tag/tag.graphql.js';
import { deviceChanges, MAX_REPORTED } from './device-change.service.js';
import * as model from './device.model.js';
import * as service from './device.service.js';

export const DeviceType = auditedType<model.Device, 'logicalNumberId'>('Device', 'A payment terminal.', {
  serialNumber: g.text('Serial number, unique in the company.'),
  enabled: g.flag('Whether the device may access the service.'),
  meta: g.json(
    'Properties that the device reported, such as brand, model and battery_level; values are texts.',
  ),
  frameworkVersion: g.text.orNull('Installed version of the framework. Null until the device reports it.'),
  ...DESCRIBED_FIELDS,
});

export const DevicePresence = g.enumeration<model.Presence>(
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

export const DeviceList = g.listTypes(
  service.devices,
  DeviceType,
  {},
  { presence: DevicePresence },
  {
    batteryLevel: 'Condition on `batteryLevel`, for example { lt: 20 }. Null if none was reported.',
    changedByJob:
      'Jobs that have changed the device, its token, or its logical number with its parameters. As long as the ledger is kept.',
    group:
      'Condition on the `id` of the group of `logicalNumber`. Null without a number, or if it has no group.',
    hasLogicalNumber: 'Whether the device works under a logical number.',
    hasReported: 'Whether the device has reported `meta` or a framework version.',
    meta: 'A text that the terminal reported under a key of `meta`.',
    model: 'Condition on the text `model` in `meta`. Null if it has none.',
    signal: 'Condition on `signal`. Null if none was reported.',
    simCardId: 'Condition on `simCardId`. Null if none was reported.',
    tags: TAGS_FILTER,
    refused: 'Whether the terminal was ever refused: it has a `lastRefusal`.',
    version:
      'App versions whose present bytes the terminal has, as far as is known: `reach { current }` of a version counts these devices.',
  },
);

const DeviceReportInput = g.inputOf('DeviceReportInput', model.DeviceReport, {
  description: 'What a device reports about itself. Absent fields keep their values.',
  descriptions: {
    frameworkVersion: 'Installed version of the framework. 1 to 64 characters. Null clears it.',
    meta: 'Properties such as brand, model and battery_level: a JSON object of at most 64 texts of at most 1024 characters; a number or boolean counts as its text, 80 as "80". Replaces the earlier ones.',
  },
});

const deviceReport = g.ownMutation('DeviceReport', {
  description:
    'Records what a device reports about itself. A report without any change is not recorded. Requires the scope INGEST.',
  args: {
    serialNumber: g.text('Serial number of the device.'),
    input: g.object(DeviceReportInput, 'The report.'),
  },
  payload: { device: g.changedRecord(DeviceType) },
  scope: 'ingest',
  within: (field) => (field === 'serialNumber' ? [field] : ['input', field]),
  run: async (work, { serialNumber, input }) => {
    const name = normalized(serialNumber);
    const device = (await service.findDevicesBySerialNumbers(work, [name])).get(name);
    if (device === undefined) throw errorAt('serialNumber', 'not_found', 'No such device.');
    return { device: await service.reportDevice(work, device, input) };
  },
});

const deviceImport = g.bulkMutation({
  name: 'DeviceBulkCreate',
  description: 'Creates up to 1000 devices.',
  argument: 'serialNumbers',
  rows: g.text.list('Serial numbers of the new devices.'),
  field: 'device',
  record: g.object(DeviceType, 'The new device. Null if it was not created.'),
  countDescription: 'Number of devices created; 0 if an invalid row rejected the batch.',
  prepare: (serialNumbers) => serialNumbers,
  run: service.createDevices,
});

const DeviceChangeKind = g.enumeration<model.DeviceChange['kind']>(
  'DeviceChangeKind',
  'What has changed of a device.',
  {
    changed: 'The device was created, changed or deleted, or has reported other properties.',
    presence: 'Its terminal is online again, or has become stale or offline.',
  },
);

const DeviceChanged = g.objectType<{
  readonly kind: model.DeviceChange['kind'];
  readonly sequence: number | null;
  readonly deviceId: string | null;
  readonly device: model.Device | null;
}>('DeviceChanged', 'A change of a device or of its presence.', {
  kind: g.choice(DeviceChangeKind, 'What has changed.'),
  sequence: g.int.orNull(
    'Position of the change in the ledger. Null for PRESENCE, of which nothing is recorded.',
  ),
  deviceId: g.id.orNull(
    `Global id of the device. Null if the presence of more than ${MAX_REPORTED} devices has changed within seconds: load the list again.`,
  ),
  device: g.object.orNull(
    DeviceType,
    'The device as it is now. Null if it was deleted, and where `deviceId` is null.',
  ),
});

const deviceChanged = g.subscription('deviceChanged', {
  field: g.object(
    DeviceChanged,
    'Each change of a device in the company, in order, and within some seconds each change of the presence of a device.',
  ),
  args: {
    filter: g.object.orNull(
      DeviceList.Filter,
      'Only devices for which this holds after the change. Deletions are sent whatever it is.',
    ),
    after: g.int.orNull(
      'Resumes after the change with this `sequence`. Without it, and for PRESENCE, only changes from now on are sent.',
    ),
  },
  subscribe: (ctx, args) => ctx.follow(deviceChanges, args),
  resolve: ({ id, deviceId, ...change }: model.DeviceChange) => ({
    ...change,
    sequence: change.kind === 'changed' ? id : null,
    deviceId: deviceId === null ? null : g.globalId('Device', deviceId),
  }),
});

export const deviceGraphql = g.graphqlModule(
  deviceReport,
  deviceImport,
  deviceChanged,
  g.queries(DeviceList, {
    keys: {
      serialNumber: { get: service.getDeviceBySerialNumber, description: 'Serial number of the device.' },
    },
  }),
  g.mutations(DeviceList, {
    get: service.getDevice,
    create: {
      model: model.DeviceCreate,
      run: service.createDevice,
      descriptions: { enabled: 'Whether the device may access the service. Defaults to true.' },
    },
    update: { model: model.DeviceUpdate, run: service.updateDevice },
    delete: {
      run: service.deleteDevice,
      description: 'Deletes a device, which ends its access to the service. Its transactions stay.',
    },
    references: { logicalNumberId: 'LogicalNumber' },
    changes: {
      deviceEnable: {
        description: 'Allows a device to access the service.',
        run: (work, device) => service.updateDevice(work, device, { enabled: true }),
      },
      deviceDisable: {
        description: 'Denies a device access to the service.',
        run: (work, device) => service.updateDevice(work, device, { enabled: false }),
      },
      deviceAssign: {
        description: 'Assigns a device to a logical number, or to none.',
        args: {
          logicalNumberId: g.id.orNull(
            'Global id of the logical number. Required; null leaves the device without one.',
          ),
        },
        run: service.updateDevice,
      },
    },
  }),
  g.fields(DeviceType, {
    model: g.derived(
      g.text.orNull('Model that the terminal reported. Null if it reported none.'),
      ({ meta }) => meta.model ?? null,
    ),
    batteryLevel: g.derived(
      g.int.orNull(
        'Charge of the battery in percent, as the terminal last reported it in `meta`. Null if it reported none, or no number of 1 to 3 digits.',
      ),
      ({ meta }) => model.percentIn(meta.battery_level),
    ),
    signal: g.derived(
      g.int.orNull(
        'Strength of the mobile signal in percent, as the terminal last reported it as `gprs_signal` in `meta`. Null if it reported none, or no number of 1 to 3 digits.',
      ),
      ({ meta }) => model.percentIn(meta.gprs_signal),
    ),
    simCardId: g.derived(
      g.text.orNull(
        'Number of the SIM card, as the terminal reported it in `meta`. Null if it reported none.',
      ),
      ({ meta }) => meta.sim_card_id ?? null,
    ),
    logicalNumber: g.one(
      LogicalNumberList,
      'logicalNumberId',
      'Logical number that the device works under. Null if it has none.',
    ),
  }),
  g.fields(LogicalNumberType, {
    devices: g.many(DeviceList, service.devicesOfLogicalNumber, 'Devices that work under the number.'),
  }),
);
