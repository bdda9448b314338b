import * as g from '../../../graphql/index.js';
import { numberConditions, WITHOUT_TERMINAL } from '../../fleet/device/number-target.graphql.js';
import { LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import { requireExpectedCount } from '../../fleet/logical-number/logical-number.model.js';
import { AppVersionGrantTargetInput } from '../app/grant.graphql.js';
import { planRollout, type RolloutPlan } from './rollout-plan.service.js';
import { HOURS, STOP_WHEN } from './rollout-wave.graphql.js';
import { ObstacleType, RolloutType } from './rollout.graphql.js';
import { MAX_WAVES, type Obstacle, type Rollout } from './rollout.model.js';
import { createRollout } from './rollout.service.js';

const WaveInput = g.inputType(
  'RolloutWaveInput',
  'Terminals of a wave: exactly one of percent, logicalNumbers and groupIds; the last wave may have none, and gets the rest.',
  {
    percent: g.int.orNull('Share of all terminals of the target that can get the versions, drawn at random.'),
    logicalNumbers: g.nullable(g.text.list('Logical numbers (`number`, not ids) of the target.')),
    groupIds: g.nullable(g.id.list('Global ids of groups: their terminals of the target.')),
    minProvenPercent: g.int.orNull(
      'Share of its terminals that must be proven before the next wave begins. Defaults to 0.',
    ),
    minDuration: g.duration.orNull(
      'Shortest time from the beginning of the wave to that of the next one. Defaults to 0s.',
    ),
  },
);

const StopInput = g.inputType('RolloutStopWhenInput', 'Conditions that stop a rollout by itself.', {
  ...STOP_WHEN,
  deadline: g.instant.orNull('Time by which it must be finished.'),
});

const WindowInput = g.inputType('RolloutWindowInput', 'Hours of the day in which waves may begin.', {
  ...HOURS,
  zone: g.text.orNull(
    'Time zone of the hours, for example America/Sao_Paulo. Defaults to that of the company, in which its terminals show times.',
  ),
});

const CreateInput = g.inputType('RolloutCreateInput', 'Fields of a new rollout.', {
  name: g.text('Name. At most 100 characters.'),
  appVersionIds: g.id.list(
    'Global ids of the app versions, at most 20 and one of each app, which replace others of the same apps. They must be attached to the groups of the terminals.',
  ),
  waves: g.object.list(WaveInput, `At most ${MAX_WAVES} waves, in their order.`),
  stopWhen: g.object.orNull(StopInput, 'When it stops by itself. Without a condition, it does not.'),
  window: g.object.orNull(WindowInput, 'Hours of the day in which waves may begin. All hours if absent.'),
  startAt: g.instant.orNull(
    'When the first wave begins at the earliest: at most 60 days ahead. At once if absent.',
  ),
});

const EXAMPLES = 20;

const draftOf = (drawn: RolloutPlan['drawn']) => ({
  count: drawn.length,
  examples: drawn.slice(0, EXAMPLES).map(({ number }) => number),
});
type ShownDraft = ReturnType<typeof draftOf>;

const DRAFT = {
  count: g.int('Number of terminals.'),
  examples: g.text.list(`Logical numbers of the first ${EXAMPLES}.`),
};

const DraftWave = g.objectType<ShownDraft>(
  'RolloutDraftWave',
  'Terminals that would get the versions in a wave.',
  DRAFT,
);

const DraftObstacle = g.objectType<ShownDraft & { readonly obstacle: Obstacle }>(
  'RolloutDraftObstacle',
  'Terminals that would be left out for a reason.',
  { ...DRAFT, obstacle: g.choice(ObstacleType, 'The reason.') },
);

const CreatePayload = g.payloadType('RolloutCreate', {
  rollout: g.changedRecord(RolloutType),
  ...g.targetPayload('Number of logical numbers whose terminals get the versions.', LogicalNumberType),
  waves: g.nullable(
    g.object.list(
      DraftWave,
      'Who would get the versions in which wave, by a draw of its own. Null without dryRun.',
    ),
  ),
  obstacles: g.nullable(
    g.object.list(DraftObstacle, 'Terminals of the target that are left out. Null without dryRun.'),
  ),
  ...WITHOUT_TERMINAL,
});

function draftsOf({ fields, drawn, without, numbers }: RolloutPlan) {
  const byObstacle = Map.groupBy(drawn, ({ obstacle }) => obstacle);
  const taking = byObstacle.get(null) ?? [];
  return {
    examples: numbers.slice(0, EXAMPLES),
    waves: fields.waves.map((_, place) => draftOf(taking.filter(({ wave }) => wave === place))),
    obstacles: [...byObstacle].flatMap(([obstacle, own]) =>
      obstacle === null ? [] : [{ obstacle, ...draftOf(own) }],
    ),
    withoutTerminal: without.length,
    withoutTerminalExamples: without.slice(0, EXAMPLES).map(({ number }) => number),
  };
}

/** Path in the arguments of a field that a domain error names. */
function pathOf(field: string): readonly string[] {
  const [first = '', ...rest] = field.split('.');
  if (['target', 'expectCount'].includes(first)) return [first, ...rest];
  return [
    ['groupId', 'logicalNumbers', 'filter', 'deviceFilter'].includes(first) ? 'target' : 'input',
    first,
    ...rest,
  ];
}

export const rolloutCreateGraphql = g.mutation('rolloutCreate', {
  field: g.object(
    CreatePayload,
    'Plans to give app versions to many terminals in waves, drawn once, at most 100000 terminals. The next wave begins when the one before is proven as demanded; a condition of `stopWhen` stops it.',
  ),
  args: {
    input: g.object(CreateInput, 'Fields of the new rollout.'),
    target: g.object(AppVersionGrantTargetInput, 'The logical numbers whose terminals get the versions.'),
    ...g.TARGET_ARGS,
  },
  resolve: (_source, ctx, { input, target, dryRun, expectCount }, info) => {
    const { filter, deviceFilter, savedFilterId, all, ...others } = target;
    let plan: RolloutPlan | undefined;
    return ctx.changeInParts(
      async (work) => {
        const given = g.withNumbers(others, { groupId: 'Group' });
        const conditions = await numberConditions(work, { filter, deviceFilter, savedFilterId }, info);
        const fields = g.withNumbers(input, { appVersionIds: 'AppVersion' });
        const waves = input.waves.map((wave, place) =>
          g.withNumbers(wave, { groupIds: 'Group' }, `waves.${place}.`),
        );
        const request = { ...given, conditions, all: all === true };
        const planned = await planRollout(work, { ...fields, waves }, request);
        requireExpectedCount(planned.numbers.length, expectCount);
        plan = planned;
        return dryRun === true ? [] : [(later) => createRollout(later, planned)];
      },
      ([rollout]: readonly Rollout[]) => ({
        count: plan?.numbers.length ?? 0,
        ...(rollout === undefined ? plan && draftsOf(plan) : { rollout }),
      }),
      pathOf,
    );
  },
});
