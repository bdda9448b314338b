import * as g from '../../../graphql/index.js';
import type { Audit } from '../../../platform/validate.js';
import { JobType } from '../../base/job/job.graphql.js';
import { jobs } from '../../base/job/job.service.js';
import { DeviceList } from '../../fleet/device/device.graphql.js';
import { LogicalNumberList } from '../../fleet/logical-number/logical-number.graphql.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { AppVersionList } from '../app/app.graphql.js';
import * as model from './rollout.model.js';
import * as service from './rollout.service.js';

const State = g.enumeration<model.RolloutState>('RolloutState', 'State of a rollout.', {
  planned: 'No wave has begun.',
  running: 'Waves get the versions, one after the other.',
  paused: 'A person has paused it: no further terminal gets the versions.',
  stopped_by_failures:
    'It has stopped by itself: see `stoppedBecause`. Terminals that have the versions keep them until `rolloutUndo`.',
  finished: 'All waves have the versions, and the last one is proven as demanded.',
  undone: 'The terminals get what they had before; its job shows how far that is.',
});

export const ObstacleType = g.enumeration<model.Obstacle>(
  'RolloutObstacle',
  'Why a terminal of the target is left out.',
  {
    ...model.OBSTACLES,
    not_attached: 'The group of its logical number does not have the versions: see groupAttachAppVersions.',
    moved: `${model.OBSTACLES.moved} A device that has got the number in its place counts for it.`,
    left_out: 'A person has left it out, see rolloutLeaveOut.',
  },
);

const TerminalState = g.enumeration<model.RolloutTerminal['state']>(
  'RolloutTerminalState',
  'What is known of the versions of a rollout on a terminal.',
  {
    waiting: 'Its wave has not begun, or it is about to get the versions.',
    excluded: 'It does not get the versions, or does not count any more: see `obstacle`.',
    granted: 'It has got the versions, and is not known to have downloaded all of them.',
    downloaded: 'It has downloaded all of them.',
    installed: 'It has reported that all of them are installed.',
    proven: 'It has completed a transaction under one of them, and none has failed.',
    failed: 'It has reported that one of them could not be installed.',
  },
);

type Shown =
  | keyof Audit
  | 'name'
  | 'state'
  | 'stoppedBecause'
  | 'total'
  | 'startAt'
  | 'figuresAt'
  | 'unmovedSince';

export const RolloutType = auditedType<model.Rollout, Exclude<keyof model.Rollout, Shown>>(
  'Rollout',
  'App versions that many terminals get in waves. It stops by itself when terminals fail, and can be undone.',
  {
    name: g.text('Name.'),
    state: g.choice(State, 'What has become of it.'),
    stoppedBecause: g.text.orNull('Why it has stopped, with the figures. Null unless it has.'),
    total: g.int(
      'Terminals of its target when it was created: those of its waves, and those that were left out then.',
    ),
    startAt: g.instant.orNull('When its first wave begins at the earliest. Null: at once.'),
    figuresAt: g.instant.orNull('When the terminals of its waves were counted. Null before the first wave.'),
    unmovedSince: g.instant.orNull(
      'Since when the wave that has begun last waits, and no terminal of it has moved. Null unless it waits for terminals.',
    ),
  },
);

const RolloutList = g.listTypes(service.rollouts, RolloutType, { state: State });

const TerminalType = g.nodeType<
  model.RolloutTerminal,
  'rolloutId' | 'deviceId' | 'logicalNumberId' | 'added' | 'removed' | 'wave' | 'hasAnswered'
>('RolloutTerminal', 'A terminal of a rollout.', {
  state: g.choice(TerminalState, 'What is known of the versions on it.'),
  obstacle: g.choice.orNull(ObstacleType, 'Why it is left out. Null if it is not.'),
  grantedAt: g.instant.orNull('When it got the versions. Null before.'),
  undoneAt: g.instant.orNull('When it got back what it had before. Null if it did not.'),
});

const TerminalList = g.listTypes(service.rolloutTerminals, TerminalType, {
  state: TerminalState,
  obstacle: ObstacleType,
});

const versionsOf = (description: string, field: 'appVersionIds' | 'replacedIds') =>
  g.computed(g.object.list(AppVersionList.Record, description), async (rollout: model.Rollout, ctx) => {
    const found = await Promise.all(rollout[field].map((id) => ctx.one(AppVersionList.list, id)));
    return found.filter((each) => each !== null);
  });

export const rolloutGraphql = g.graphqlModule(
  g.queries(RolloutList),
  g.nodesOf(service.rolloutTerminals),
  g.recordMutations(
    RolloutList,
    {
      get: service.getRollout,
      references: { deviceIds: 'Device' },
      changes: {
        rolloutLeaveOut: {
          description:
            'Leaves terminals out for good: no wave waits for them or counts them. Those that have the versions keep them until `rolloutUndo`.',
          args: {
            deviceIds: g.id.list('Global ids of the devices of at most 1000 terminals of the rollout.'),
            reason: g.text('Why, for the ledger. At most 500 characters.'),
          },
          run: service.leaveOut,
        },
        rolloutPassWave: {
          description:
            'Passes the wave that has begun last, whatever is proven of it: the next one begins in the hours of `window`, or the rollout is finished. Conditions of `stopWhen` still stop it.',
          args: {
            wave: g.int('Number of the wave, from 1.'),
            reason: g.text('Why, for the ledger. At most 500 characters.'),
          },
          run: service.passWave,
        },
        rolloutPause: {
          description: 'Gives the versions to no further terminal until the rollout is resumed.',
          run: service.pauseRollout,
        },
        rolloutResume: {
          description:
            'Goes on with a rollout that was paused, or has stopped. It stops again while a condition still holds.',
          run: service.resumeRollout,
        },
        rolloutUndo: {
          description:
            'Takes the versions back: each terminal that has got them gets those it had before, by a job in the background. A version that its group no longer has stays lost.',
          run: service.undoRollout,
        },
      },
    },
    true,
  ),
  g.changes(RolloutList, service.newRows, service.getRollout),
  g.fields(RolloutType, {
    appVersions: versionsOf('The versions; deleted ones are left out.', 'appVersionIds'),
    replacedAppVersions: versionsOf(
      'Versions that terminals had in their place, and get back by `rolloutUndo`; deleted ones are left out.',
      'replacedIds',
    ),
    job: g.one(
      { list: jobs, Record: JobType },
      'jobId',
      'The job that gives the versions to the last wave, or takes them back. Null after 90 days.',
    ),
    terminals: g.many(TerminalList, service.terminalsOfRollout, 'Its terminals.'),
  }),
  g.fields(TerminalType, {
    wave: g.derived(
      g.int.orNull('Number of its wave, from 1. Null if it was left out when the waves were drawn.'),
      ({ wave }) => (wave === model.NO_WAVE ? null : wave + 1),
    ),
    device: g.one(DeviceList, 'deviceId', 'Its device. Null if that was deleted.'),
    logicalNumber: g.one(
      LogicalNumberList,
      'logicalNumberId',
      'Logical number that it had when it was drawn. Null if that was deleted.',
    ),
  }),
);
