import * as g from '../../../graphql/index.js';
import { LedgerEntryList } from '../../base/ledger/ledger.graphql.js';
import type { LedgerEntry } from '../../base/ledger/ledger.service.js';
import { DeviceList } from '../../fleet/device/device.graphql.js';
import { ParameterSource } from '../../fleet/setting/setting.graphql.js';
import { AppVersionList } from '../app/app.graphql.js';
import { type DeviceAt, findDeviceAt } from './device-at.service.js';

type VersionAt = DeviceAt['appVersions'][number];
type ParameterAt = DeviceAt['parameters'][number];

const DELETED = 'Null if retention has deleted that entry of the ledger.';

/** The entry of the ledger whose sequence is in a property. */
const change = <Name extends string>(property: Name, which: string, more = '') =>
  g.one<Readonly<Record<Name, number | null>>, LedgerEntry>(
    LedgerEntryList,
    property,
    `The change ${which} ${DELETED}${more}`,
  );

const VersionAtType = g.objectType<VersionAt, 'appVersionId' | 'change'>(
  'AppVersionAt',
  'An app version that a device had at a time.',
  {
    app: g.text('Name that the app had then.'),
    number: g.text('Number that the version had then.'),
  },
);

const ParameterAtType = g.objectType<ParameterAt, 'change'>(
  'ParameterAt',
  'A parameter that a device had at a time.',
  {
    key: g.text('Key, unique for the device.'),
    value: g.text('Value that the device got.'),
    description: g.text.orNull('Purpose of the parameter. Null if it had no description.'),
    source: g.choice(ParameterSource, 'Whether the logical number or its group owned the value.'),
  },
);

type Changes = 'enabledChange' | 'logicalNumberChange' | 'groupChange';

const DeviceAtType = g.objectType<DeviceAt, 'deviceId' | Changes>(
  'DeviceAt',
  'What a device was and had at a time, rebuilt from the ledger, each with the change that made it so.',
  {
    serialNumber: g.text('Serial number.'),
    enabled: g.flag('Whether the device was allowed to access the service.'),
    meta: g.json('Properties that the device had reported.'),
    frameworkVersion: g.text.orNull('Version of the framework that it had reported. Null if it had not.'),
    logicalNumber: g.text.orNull('Logical number that the device had, as it was called then. Null without.'),
    group: g.text.orNull(
      'Group of the logical number, as it was called then. Null without a logical number, or if that had no group.',
    ),
    appVersions: g.object.list(VersionAtType, 'App versions that the logical number had.'),
    parameters: g.object.list(
      ParameterAtType,
      "Parameters that the device got: those of the group, overridden by the number's own of the same key. Ordered by key.",
    ),
  },
);

const deviceAt = g.query('deviceAt', {
  field: g.object.orNull(
    DeviceAtType,
    'What the device with a serial number was and had at a time. Null if no device had the serial number then. An error for a time from which retention has deleted entries of the ledger: it names the earliest time.',
  ),
  args: {
    serialNumber: g.text('Serial number of the device, which may be deleted now.'),
    at: g.instant('The time, by the clock of the server. A time in the future shows what is now.'),
  },
  counts: 30,
  searches: () => [{ rows: 'ledger' }],
  resolve: async (_source, ctx, { serialNumber, at }) => {
    const found = await ctx.read('read', (work) => findDeviceAt(work, serialNumber, at));
    return found && { ...found, parameters: await ctx.unpaged(found.parameters) };
  },
});

export const deviceAtGraphql = g.graphqlModule(
  deviceAt,
  g.fields(DeviceAtType, {
    device: g.one(DeviceList, 'deviceId', 'The device as it is now. Null if it was deleted.'),
    enabledChange: change('enabledChange', 'that enabled or disabled the device, or created it.'),
    logicalNumberChange: change(
      'logicalNumberChange',
      'that gave the device the logical number, or took it off.',
    ),
    groupChange: change(
      'groupChange',
      'that moved the logical number to the group, or created it there.',
      ' Null without a logical number.',
    ),
  }),
  g.fields(VersionAtType, {
    appVersion: g.one(AppVersionList, 'appVersionId', 'The version as it is now. Null if it was deleted.'),
    change: change('change', 'by which the logical number got the version.'),
  }),
  g.fields(ParameterAtType, {
    change: g.one(LedgerEntryList, 'change', `The last change of the parameter until then. ${DELETED}`),
  }),
);
