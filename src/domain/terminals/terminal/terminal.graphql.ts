import {
  changedRecord,
  choice,
  computed,
  enumeration,
  fields,
  graphqlModule,
  id,
  instant,
  int,
  listTypes,
  nodeType,
  object,
  objectType,
  ownMutation,
  queries,
  recordAt,
  text,
  withNumbers,
} from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { getDevice } from '../../fleet/device/device.service.js';
import { issueDeviceToken, revokeDeviceToken } from './access.service.js';
import {
  adoptTerminal,
  lastRefusals,
  type TerminalRefusal,
  type UnknownTerminal,
  unknownTerminals,
} from './sightings.service.js';

const TerminalRefusalCode = enumeration<TerminalRefusal['code']>(
  'TerminalRefusalCode',
  'Why the terminal of a device is refused at `/terminal/v1`.',
  {
    terminal_disabled: 'The device is disabled.',
    terminal_unassigned: 'The device has no logical number.',
  },
);

const TerminalRefusalType = objectType<TerminalRefusal>(
  'TerminalRefusal',
  'The last time that a terminal was refused.',
  {
    code: choice(TerminalRefusalCode, 'Why it was refused.'),
    at: instant('When it was refused. Of several refusals within a minute, the first one is kept.'),
  },
);

const UnknownTerminalType = nodeType<UnknownTerminal>(
  'UnknownTerminal',
  'A serial number of no device that a concentrator with a gateway token named at `/terminal/v1`.',
  {
    serialNumber: text('The serial number.'),
    firstSeenAt: instant('When it was first seen.'),
    lastSeenAt: instant('When it was last seen.'),
    count: int('Number of requests.'),
  },
);

const UnknownTerminalList = listTypes(unknownTerminals, UnknownTerminalType);

const deviceAt = recordAt('deviceId', 'Device', getDevice);
const DEVICE_ID = { deviceId: id('Global id of the device.') };

const deviceTokenIssue = ownMutation('DeviceTokenIssue', {
  description:
    'Issues the token with which a device calls `/terminal/v1`, and shows its text once. The one that the device had before ends at once. Requires the scope ADMIN.',
  args: DEVICE_ID,
  payload: {
    token: text.orNull('Text of the new token, which is shown only here. Null if none was issued.'),
    device: object.orNull(DeviceType, 'The device. Null if no token was issued.'),
  },
  scope: 'admin',
  within: [],
  run: async (work, { deviceId }) => {
    const device = await deviceAt(work, deviceId);
    return { token: (await issueDeviceToken(work, device)).secret, device };
  },
});

const deviceTokenRevoke = ownMutation('DeviceTokenRevoke', {
  description: 'Ends the token of a device at once, if it has one. Requires the scope ADMIN.',
  args: DEVICE_ID,
  payload: { device: changedRecord(DeviceType) },
  scope: 'admin',
  within: [],
  run: async (work, { deviceId }) => ({
    device: await revokeDeviceToken(work, await deviceAt(work, deviceId)),
  }),
});

const deviceAdopt = ownMutation('DeviceAdopt', {
  description: 'Creates the device of an unknown terminal, which is enabled and no longer unknown.',
  args: {
    serialNumber: text('Serial number, out of `unknownTerminals`.'),
    logicalNumberId: id.orNull(
      'Global id of the logical number that the device works under. None if absent or null.',
    ),
  },
  payload: { device: changedRecord(DeviceType) },
  within: [],
  run: async (work, { serialNumber, logicalNumberId }) => {
    const given = withNumbers({ logicalNumberId }, { logicalNumberId: 'LogicalNumber' });
    return { device: await adoptTerminal(work, serialNumber, given) };
  },
});

export const terminalGraphql = graphqlModule(
  queries(UnknownTerminalList, {
    listDescription:
      'Serial numbers of no device that gateways named: the 1000 that were seen last. They appear within ten seconds.',
  }),
  deviceTokenIssue,
  deviceTokenRevoke,
  deviceAdopt,
  fields(DeviceType, {
    lastRefusal: computed(
      object.orNull(TerminalRefusalType, 'Why and when the terminal was last refused. Null if it never was.'),
      async (device, ctx) => (await ctx.loadForMany(lastRefusals, device)) ?? null,
    ),
  }),
);
