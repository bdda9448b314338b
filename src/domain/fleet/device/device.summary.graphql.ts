import * as g from '../../../graphql/index.js';
import { GroupList } from '../group/group.graphql.js';
import { DeviceList, DevicePresence, DeviceType } from './device.graphql.js';
import {
  type DeviceCount,
  type DeviceTotals,
  type GroupPresence,
  type PresenceCount,
  lastSeenTimeOf,
} from './device.model.js';
import * as service from './device.service.js';

interface Summary extends DeviceTotals {
  /** Condition of the devices that it counts. */
  readonly where: ReturnType<typeof g.conditionOf>;
  readonly byModel: readonly DeviceCount[];
  readonly byFrameworkVersion: readonly DeviceCount[];
  readonly countedAt: Date;
}

const DeviceCountType = g.objectType<DeviceCount>(
  'DeviceCount',
  'Number of devices that report the same value.',
  {
    value: g.text.orNull('The value. Null for devices that have not reported one.'),
    count: g.int('Number of devices.'),
  },
);

const DeviceSummary = g.objectType<Summary, 'where'>('DeviceSummary', 'Numbers of devices.', {
  total: g.int('All devices that the filter selects.'),
  enabled: g.int('Devices that may access the service.'),
  disabled: g.int('Devices that may not access the service.'),
  neverSeen: g.int(
    'Devices that have never reported `meta` or a framework version. For those whose terminal never sent a request, see `byPresence`.',
  ),
  byModel: g.object.list(
    DeviceCountType,
    `Devices by model, most frequent model first. At most ${service.MAX_VALUES} models.`,
  ),
  byFrameworkVersion: g.object.list(
    DeviceCountType,
    `Devices by framework version, most frequent version first. At most ${service.MAX_VALUES} versions.`,
  ),
  countedAt: g.instant('Time of the server at which they were counted.'),
});

const deviceSummary = g.query('deviceSummary', {
  field: g.object(
    DeviceSummary,
    'Numbers of devices in the company, by state, model, version, presence and group. The list `devices` has a filter for each: `model: { eq: … }` with a value of `byModel`, `isNull: true` for null, finds the devices that a row counts.',
  ),
  args: { filter: g.object.orNull(DeviceList.Filter, 'Only devices for which this holds.') },
  searches: () => [{ rows: 'devices' }],
  resolve: (_source, ctx, { filter }) => {
    const where = g.conditionOf(service.devices, filter);
    const total = (name: keyof DeviceTotals) => async () =>
      (await ctx.loadSelected(service.totalDevices, where))[name];
    return {
      where,
      total: total('total'),
      enabled: total('enabled'),
      disabled: total('disabled'),
      neverSeen: total('neverSeen'),
      byModel: () => ctx.loadSelected(service.devicesByModel, where),
      byFrameworkVersion: () => ctx.loadSelected(service.devicesByFrameworkVersion, where),
      countedAt: () => ctx.read('read', ({ now }) => Promise.resolve(now)),
    };
  },
});

const PresenceCountType = g.objectType<PresenceCount>(
  'DevicePresenceCount',
  'Number of devices of one presence.',
  { presence: g.choice(DevicePresence, 'The presence.'), count: g.int('Number of devices.') },
);

const GroupCountType = g.objectType<GroupPresence, 'groupId' | 'byPresence'>(
  'DeviceGroupCount',
  'Number of devices of one group.',
  { count: g.int('Number of devices.') },
);

const ALL = 'ONLINE first, and then STALE, OFFLINE and NEVER_SEEN.';

/** The column is that of `lastSeenAt` for both fields. */
const property = 'lastSeenAt';

export const deviceSummaryGraphql = g.graphqlModule(
  deviceSummary,
  g.fields(DeviceType, {
    lastSeenAt: {
      ...g.computed(
        g.instant.orNull(
          'When the terminal last sent a request to `/terminal/v1` that was admitted, or a confirmation over MQTT, by the clock of the server. Up to a minute older than that while the terminal sends more. Null if it never did.',
        ),
        async (device, ctx) => (await ctx.loadForMany(service.lastSeenTimes, device))?.lastSeenAt,
      ),
      planned: {
        kind: 'fromColumn',
        property,
        of: (column, work) => lastSeenTimeOf(Number(column), work).lastSeenAt?.getTime() ?? null,
      },
    },
    presence: {
      ...g.computed(
        g.choice(DevicePresence, 'How long ago the terminal was last seen, see `lastSeenAt`.'),
        async (device, ctx) =>
          (await ctx.loadForMany(service.lastSeenTimes, device))?.presence ?? 'never_seen',
      ),
      planned: {
        kind: 'fromColumn',
        property,
        of: (column, work) => lastSeenTimeOf(Number(column), work).presence,
      },
    },
  }),
  g.fields(DeviceSummary, {
    byPresence: {
      field: g.object.list(PresenceCountType, `Devices by presence: ${ALL}`),
      resolve: ({ where }, ctx) => ctx.loadSelected(service.devicesByPresence, where),
      searches: () => [{ rows: 'devices' }],
    },
    byGroup: {
      field: g.object.list(
        GroupCountType,
        `Devices by the group of their logical numbers, most devices first. At most ${service.MAX_GROUPS} groups.`,
      ),
      resolve: ({ where }, ctx) => ctx.loadSelected(service.devicesByGroup, where),
      searches: () => [{ rows: 'devices' }],
    },
  }),
  g.fields(GroupCountType, {
    group: g.one(
      GroupList,
      'groupId',
      'The group. Null for devices without a logical number, or whose number has no group.',
    ),
    byPresence: g.computed(
      g.object.list(PresenceCountType, `The devices by presence: ${ALL}`),
      ({ byPresence }) => byPresence,
    ),
  }),
);
