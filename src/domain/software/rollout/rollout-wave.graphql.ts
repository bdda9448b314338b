import * as g from '../../../graphql/index.js';
import { PaymentsType, shownPayments } from './rollout-payments.graphql.js';
import { RolloutType } from './rollout.graphql.js';
import { MAX_WAVES, NO_FIGURES, type Rollout, type StopWhen, type Window } from './rollout.model.js';

type WaveState = 'waiting' | 'begun' | 'passed';

const WaveStateType = g.enumeration<WaveState>('RolloutWaveState', 'What has become of a wave.', {
  waiting: 'It has not begun.',
  begun: 'It is the last one that has begun.',
  passed: 'The next wave has begun, or the rollout is finished.',
});

const count = (what: string) => g.int(`Number of terminals ${what}.`);

const WaveType = g.objectType<ReturnType<typeof shownWaves>[number]>(
  'RolloutWave',
  'Terminals that get the versions together. Each is counted by what was known of it when the server last looked: some seconds ago, or up to a minute when the rollout does not go on; not later than 30 days after its last wave, and not after an undo.',
  {
    state: g.choice(WaveStateType, 'What has become of it.'),
    size: count('that were drawn into it'),
    minProvenPercent: g.int('Share of proven terminals from which on the next wave may begin.'),
    minDuration: g.duration('Least time from its begin to that of the next wave.'),
    waiting: count('that have not got the versions yet'),
    excluded: count('that are left out'),
    granted: count('that have got them, and are not known to have more'),
    downloaded: count('that have downloaded them'),
    installed: count('that have reported them as installed'),
    proven: count('that have completed a transaction under them'),
    failed: count('that have failed to install one of them'),
    silent: count('that have got them and sent no request since'),
    payments: g.object.orNull(
      PaymentsType,
      'Payments of its terminals, to be compared. Null in the first minute after its begin, and before.',
    ),
  },
);

/** Conditions that stop a rollout, as they are given and shown. */
export const STOP_WHEN = {
  failedPercent: g.int.orNull('Share of failed terminals of a wave, from 1 to 100.'),
  failedCount: g.int.orNull('Number of failed terminals of all waves.'),
  silentPercent: g.int.orNull(
    'Share of terminals of a wave that have sent no request since they got the versions, from 1 to 100. Looked at an hour after its begin, and not before `minDuration`.',
  ),
  approvalDropPercent: g.int.orNull(
    'Points, from 1 to 100, by which the share of approved payments of a wave is lower than that of the same terminals a week before, and than that of the terminals that wait, if these have enough. See `RolloutPayments`.',
  ),
};

const StopWhenType = g.objectType<StopWhen, 'deadline'>(
  'RolloutStopWhen',
  'Conditions that stop a rollout. Each is null if it was not given.',
  STOP_WHEN,
);

/** Hours of a window, as they are given and shown. */
export const HOURS = {
  from: g.int('First hour, from 0 to 24.'),
  to: g.int('Hour at which it ends; before `from`, it is of the next day.'),
};

const WindowType = g.objectType<Window>('RolloutWindow', 'Hours of the day in which waves begin.', {
  ...HOURS,
  zone: g.text('Time zone of the hours, for example America/Sao_Paulo.'),
});

function shownWaves({ wave, waves, state, figures, payments }: Rollout) {
  return waves.map((each, place) => {
    const isPassed = place < wave || state === 'finished';
    const own: WaveState = place > wave ? 'waiting' : isPassed ? 'passed' : 'begun';
    const shown = { state: own, payments: shownPayments(payments[place]) };
    return { ...each, ...(figures[place] ?? NO_FIGURES), ...shown };
  });
}

export const rolloutWaveGraphql = g.fields(RolloutType, {
  waves: g.computed(
    { ...g.object.list(WaveType, 'Its waves, in their order.'), counts: MAX_WAVES },
    shownWaves,
  ),
  stopWhen: g.computed(g.object(StopWhenType, 'When it stops by itself.'), ({ stopWhen }) => stopWhen),
  deadline: g.computed(
    g.instant.orNull('Time by which it must be finished. Null if none was given.'),
    ({ stopWhen }) => (stopWhen.deadline === null ? null : new Date(stopWhen.deadline)),
  ),
  window: g.computed(
    g.object.orNull(WindowType, 'Hours in which waves begin. Null: all hours.'),
    ({ hours }) => hours,
  ),
});
