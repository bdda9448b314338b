import {
  choice,
  computed,
  graphqlModule,
  fields,
  instant,
  int,
  listOf,
  nullable,
  object,
  objectType,
  one,
} from '../../../../graphql/index.js';
import { GroupList } from '../../group/group.graphql.js';
import { DevicePresence, DeviceType } from '../device.graphql.js';
import { DeviceSummary } from '../device.summary.graphql.js';
import {
  PRESENCES,
  sightingOf,
  type GroupPresence,
  type Presence,
  type PresenceCounts,
} from './presence.model.js';
import { devicesByGroup, devicesByPresence, MAX_GROUPS, sightings } from './presence.service.js';

interface PresenceCount {
  readonly presence: Presence;
  readonly count: number;
}

const PresenceCountType = objectType<PresenceCount>(
  'DevicePresenceCount',
  'Number of devices of one presence.',
  {
    presence: choice(DevicePresence, 'The presence.'),
    count: int('Number of devices.'),
  },
);

const GroupCountType = objectType<GroupPresence, 'groupId' | 'byPresence'>(
  'DeviceGroupCount',
  'Number of devices of one group.',
  {
    count: int('Number of devices.'),
  },
);

const countsOf = (counts: PresenceCounts): PresenceCount[] =>
  PRESENCES.toReversed().map((presence) => ({ presence, count: counts[presence] }));

const ALL = 'ONLINE first, and then STALE, OFFLINE and NEVER_SEEN.';

/** The column is that of `lastSeenAt` for both fields. */
const property = 'lastSeenAt';

export const presenceGraphql = graphqlModule(
  fields(DeviceType, {
    lastSeenAt: {
      ...computed(
        nullable(
          instant(
            'When the terminal last sent a request to `/terminal/v1` that was admitted, or a confirmation over MQTT, by the clock of the server. Up to a minute older than that while the terminal sends more. Null if it never did.',
          ),
        ),
        async (device, ctx) => (await ctx.loadForMany(sightings, device))?.lastSeenAt,
      ),
      planned: {
        ...{ kind: 'derived', property },
        of: (column, work) => sightingOf(Number(column), work).lastSeenAt?.getTime() ?? null,
      },
    },
    presence: {
      ...computed(
        choice(DevicePresence, 'How long ago the terminal was last seen, see `lastSeenAt`.'),
        async (device, ctx) => (await ctx.loadForMany(sightings, device))?.presence ?? 'never_seen',
      ),
      planned: {
        ...{ kind: 'derived', property },
        of: (column, work) => sightingOf(Number(column), work).presence,
      },
    },
  }),
  fields(DeviceSummary, {
    byPresence: {
      field: listOf(object(PresenceCountType, `Devices by presence: ${ALL}`)),
      resolve: async (_summary, ctx) => countsOf(await ctx.loadOnce(devicesByPresence)),
      searches: () => [{ rows: 'devices' }],
    },
    byGroup: {
      field: listOf(
        object(
          GroupCountType,
          `Devices by the group of their logical numbers, most devices first. At most ${MAX_GROUPS} groups.`,
        ),
      ),
      resolve: (_summary, ctx) => ctx.loadOnce(devicesByGroup),
      searches: () => [{ rows: 'devices' }],
    },
  }),
  fields(GroupCountType, {
    group: one(
      GroupList,
      'groupId',
      'The group. Null for devices without a logical number, or whose number has no group.',
    ),
    byPresence: computed(
      listOf(object(PresenceCountType, `The devices by presence: ${ALL}`)),
      ({ byPresence }) => countsOf(byPresence),
    ),
  }),
);
