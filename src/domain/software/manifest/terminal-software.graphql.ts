import * as g from '../../../graphql/index.js';
import { DeviceList, DevicePresence, DeviceType } from '../../fleet/device/device.graphql.js';
import { getAppVersionById } from '../app/app-version.service.js';
import { AppVersionList, AppVersionType } from '../app/app.graphql.js';
import {
  NO_REACH,
  type Reach,
  type SoftwareChange,
  type SoftwareState,
  type TerminalSoftware,
} from './manifest.model.js';
import * as service from './manifest.service.js';

/** Search of the terminals of versions: as many as devices with their logical numbers, or fewer. */
const TERMINALS_SEARCH = { rows: 'logical_number_app_versions' } as const;

const SoftwareStateType = g.enumeration<SoftwareState>(
  'SoftwareState',
  'What is known of a version on a terminal. The newest evidence counts.',
  {
    granted:
      'The logical number of the terminal has the version. The terminal has not downloaded it, or showed later that it has other bytes.',
    overdue: 'It is GRANTED for more than 24 hours.',
    downloaded: 'The terminal downloaded the bytes, as a whole.',
    installed:
      'The terminal reported that it installed the version, or asked for it with the `crc` or ETag of its bytes.',
    proven: 'The application has completed a transaction of type SWITCH after the version was INSTALLED.',
    failed: 'The terminal reported that it could not install the version.',
  },
);

const TerminalSoftwareType = g.objectType<TerminalSoftware, 'deviceId' | 'appVersionId'>(
  'TerminalSoftware',
  'State of an app version on the terminal of a device.',
  {
    state: g.choice(SoftwareStateType, 'What is known of it.'),
    reason: g.text.orNull(
      'Code that the terminal gave for the failure, for example `SIGNATURE`. Null in other states, and if it gave none.',
    ),
    detail: g.text.orNull(
      'Text that the terminal gave for the failure. Null in other states, and if it gave none.',
    ),
    attempts: g.int('How often the terminal downloaded the version as a whole.'),
    since: g.instant(
      'Beginning of the state: of PROVEN, that of the first transaction; of OVERDUE, the time of the grant.',
    ),
  },
);

const TerminalSoftwareFilter = g.inputType(
  'TerminalSoftwareFilter',
  'Conditions on terminals of a version, joined by AND.',
  {
    state: g.choice.orNull(SoftwareStateType, 'Only terminals in this state.'),
    groupId: g.id.orNull('Only terminals whose logical number is in the group with this global id.'),
    presence: g.choice.orNull(DevicePresence, 'Only terminals with this presence.'),
    reason: g.text.orNull('Only failures with exactly this code.'),
  },
);

const TERMINALS = {
  first: g.int.orNull(`Page size: 0 to ${g.MAX_FIRST}. Defaults to ${g.DEFAULT_FIRST}.`),
  after: g.text.orNull('Cursor (`endCursor` of the previous page): the page starts after it.'),
  filter: g.object.orNull(TerminalSoftwareFilter, 'Only terminals for which this holds.'),
};

type TerminalsArgs = g.ValuesOf<typeof TERMINALS>;

/** State and milliseconds since 1970, as in the keys of `terminalsOfVersions`. */
const POSITION = /^[a-z]{1,20} \d{1,15}$/;

/** Errors: BAD_USER_INPUT for a bad page size or cursor. */
function requestOf({ first, after, filter }: TerminalsArgs): service.TerminalsRequest {
  // No group has the id 0.
  const groupId = filter?.groupId == null ? null : (g.numberIn('Group', filter.groupId) ?? 0);
  return { ...g.pageRequest('TERMINALS', first, after, POSITION), filter: { ...filter, groupId } };
}

const ReachType = g.objectType<Reach, 'id'>('AppVersionReach', 'How far a version has come.', {
  granted: g.int('Logical numbers that have the version.'),
  downloaded: g.int(
    'Devices that have the version, or whose terminals have it, and whose terminals have downloaded it at `/terminal/v1/assets`.',
  ),
  current: g.int(
    'Devices whose terminals have the version, as far as is known: DOWNLOADED, INSTALLED or PROVEN, and not shown otherwise since: by a request for it with `crc` or `If-None-Match` of other bytes, by another version of the application, or by a manifest without this one. After such a request, another download does not count until the terminal shows that it has the bytes.',
  ),
  installed: g.int('Devices on which it is INSTALLED, without those on which it is PROVEN.'),
  proven: g.int('Devices on which it is PROVEN.'),
  failed: g.int('Devices on which it is FAILED.'),
});

const SoftwareEvent = g.objectType<{ readonly sequence: number; readonly software: TerminalSoftware }>(
  'SoftwareEvent',
  'A change of what is known of a version on a terminal.',
  {
    sequence: g.int(
      'Position among these changes of the company. Grows with each one; numbers may be missing.',
    ),
    software: g.object(
      TerminalSoftwareType,
      'The state as it was when the event was sent; GRANTED also if it is OVERDUE.',
    ),
  },
);

const softwareChanged = g.subscription('softwareChanged', {
  field: g.object(
    SoftwareEvent,
    'Each terminal on which a version has changed its state by evidence of the terminal, in the order of the changes; not grants. Of changes that follow each other quickly, only the last one of a terminal is sent.',
  ),
  args: {
    appVersionId: g.id('Global id of the version.'),
    after: g.int.orNull(
      'Resumes after the event with this `sequence`. Without it, only changes from now on are sent.',
    ),
  },
  subscribe: async (ctx, { appVersionId, after }) => {
    await ctx.read('read', (work) => getAppVersionById(work, g.numberIn('AppVersion', appVersionId) ?? 0));
    return await ctx.follow(service.softwareNewRows, {
      filter: { appVersionId: { eq: appVersionId } },
      after,
    });
  },
  resolve: ({ id: sequence, software }: SoftwareChange) => ({ sequence, software }),
});

export const terminalSoftwareGraphql = g.graphqlModule(
  softwareChanged,
  g.fields(AppVersionType, {
    reach: g.loaded(
      g.object(ReachType, 'How far the version has come.'),
      service.reachOf,
      (found, { id }) => found ?? { ...NO_REACH, id },
    ),
    terminals: {
      field: g.object(
        g.connectionOf(TerminalSoftwareType, 'TerminalSoftware'),
        'Terminals that are to have the version, or have it, by state and then by its beginning.',
      ),
      args: TERMINALS,
      resolve: ({ id }, ctx, args: TerminalsArgs, info) =>
        ctx.pages(service.terminalsOfVersions, service.countTerminals, id, info, () => requestOf(args)),
      searches: (args: TerminalsArgs, { page, total }) => {
        const { filter, limit } = requestOf(args);
        return [
          page && limit > 0 && service.isNarrowed(filter) ? TERMINALS_SEARCH : null,
          total && !service.isTotalled(filter) ? TERMINALS_SEARCH : null,
        ];
      },
    },
  }),
  g.fields(ReachType, {
    overdue: {
      ...g.loaded(
        g.int('Devices on which it is OVERDUE: GRANTED for more than 24 hours.'),
        service.countOverdue,
        (found) => found ?? 0,
      ),
      searches: () => [TERMINALS_SEARCH],
    },
  }),
  g.fields(DeviceType, {
    software: {
      ...g.unpaged(
        g.object.list(
          TerminalSoftwareType,
          'App versions that the logical number of the device has, and others that its terminal has.',
        ),
        service.softwareOfDevices,
        service.softwareEntries,
      ),
      searches: () => [{ ...TERMINALS_SEARCH, isLimited: true }],
    },
  }),
  g.fields(TerminalSoftwareType, {
    device: g.required(g.one(DeviceList, 'deviceId', 'The device.')),
    appVersion: g.required(g.one(AppVersionList, 'appVersionId', 'The version.')),
    runs: g.computed(
      g.object.orNull(
        AppVersionType,
        'The version of the same application that the terminal has, as far as is known: this one, or another one. Null if unknown.',
      ),
      ({ deviceId, appVersionId }, ctx) => ctx.named(service.runningVersions, `${deviceId} ${appVersionId}`),
    ),
  }),
);
