import * as g from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { getDevice } from '../../fleet/device/device.service.js';
import { KEEP_OLD_FOR } from '../../people/access-token/access-token.graphql.js';
import { issueDeviceToken, revokeDeviceToken } from './device-token.service.js';
import * as refusals from './refusal.service.js';

const TerminalRefusalCode = g.enumeration<refusals.TerminalRefusal['code']>(
  'TerminalRefusalCode',
  'Why the terminal of a device is refused at `/terminal/v1`.',
  { terminal_disabled: 'The device is disabled.', terminal_unassigned: 'The device has no logical number.' },
);

const TerminalRefusalType = g.objectType<refusals.TerminalRefusal>(
  'TerminalRefusal',
  'The last time that a terminal was refused.',
  {
    code: g.choice(TerminalRefusalCode, 'Why it was refused.'),
    at: g.instant('When it was refused. Of several refusals within a minute, the first one is kept.'),
  },
);

const UnknownTerminalType = g.nodeType<refusals.UnknownTerminal>(
  'UnknownTerminal',
  'A serial number of no device that a concentrator with a gateway token named at `/terminal/v1`.',
  {
    serialNumber: g.text('The serial number.'),
    firstSeenAt: g.instant('When it was first seen.'),
    lastSeenAt: g.instant('When it was last seen.'),
    count: g.int('Number of requests.'),
  },
);

const UnknownTerminalList = g.listTypes(refusals.unknownTerminals, UnknownTerminalType);

const deviceAt = g.recordAt('deviceId', 'Device', getDevice);
const DEVICE_ID = { deviceId: g.id('Global id of the device.') };

const deviceTokenIssue = g.ownMutation('DeviceTokenIssue', {
  description:
    'Issues the token with which a device calls `/terminal/v1`, and shows its text once. The one that the device had before ends at once, or after `keepOldFor`. While the terminal has not used the present one, the one before it is kept instead. Requires the scope ADMIN.',
  args: { ...DEVICE_ID, keepOldFor: KEEP_OLD_FOR },
  payload: {
    token: g.text.orNull('Text of the new token, which is shown only here. Null if none was issued.'),
    device: g.object.orNull(DeviceType, 'The device. Null if no token was issued.'),
  },
  scope: 'admin',
  within: [],
  run: async (work, { deviceId, keepOldFor }) => {
    const device = await deviceAt(work, deviceId);
    return { token: (await issueDeviceToken(work, device, keepOldFor ?? 0)).secret, device };
  },
});

const deviceTokenRevoke = g.ownMutation('DeviceTokenRevoke', {
  description:
    'Ends the token of a device at once, if it has one, and the old one beside it. Requires the scope ADMIN.',
  args: DEVICE_ID,
  payload: { device: g.changedRecord(DeviceType) },
  scope: 'admin',
  within: [],
  run: async (work, { deviceId }) => ({
    device: await revokeDeviceToken(work, await deviceAt(work, deviceId)),
  }),
});

const deviceAdopt = g.ownMutation('DeviceAdopt', {
  description: 'Creates the device of an unknown terminal, which is enabled and no longer unknown.',
  args: {
    serialNumber: g.text('Serial number, out of `unknownTerminals`.'),
    logicalNumberId: g.id.orNull(
      'Global id of the logical number that the device works under. None if absent or null.',
    ),
  },
  payload: { device: g.changedRecord(DeviceType) },
  within: [],
  run: async (work, { serialNumber, logicalNumberId }) => {
    const given = g.withNumbers({ logicalNumberId }, { logicalNumberId: 'LogicalNumber' });
    return { device: await refusals.adoptTerminal(work, serialNumber, given) };
  },
});

export const terminalGraphql = g.graphqlModule(
  g.queries(UnknownTerminalList, {
    listDescription:
      'Serial numbers that gateways named and no device has: the last 1000 seen. They appear within ten seconds.',
  }),
  deviceTokenIssue,
  deviceTokenRevoke,
  deviceAdopt,
  g.fields(DeviceType, {
    lastRefusal: g.loaded(
      g.object.orNull(
        TerminalRefusalType,
        'Why and when the terminal was last refused. Null if it never was.',
      ),
      refusals.lastRefusals,
      (found) => found ?? null,
    ),
  }),
);
