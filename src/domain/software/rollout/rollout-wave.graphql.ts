import * as g from '../../../graphql/index.js';
import { DAY } from '../../../platform/clock.js';
import { approvedPercent } from './rollout-payments.service.js';
import { RolloutType } from './rollout.graphql.js';
import * as model from './rollout.model.js';

const FiguresType = g.objectType<ReturnType<typeof shownFigures>>(
  'RolloutPaymentFigures',
  'Payments of terminals that started in a span of time.',
  {
    terminals: g.int('Number of terminals.'),
    payments: g.int('Transactions with a payment, whatever its status.'),
    approved: g.int('Payments with the status APPROVED; cancellations and refunds too.'),
    failed: g.int('Transactions of type SWITCH that failed, which have no payment.'),
    approvedPercent: g.float.orNull('Share of `approved` in `payments` and `failed`. Null if both are 0.'),
    perTerminalDay: g.float.orNull('Payments of a terminal in a day, on average. Null without terminals.'),
  },
);

const PaymentsType = g.objectType<NonNullable<ReturnType<typeof shownPayments>>>(
  'RolloutPayments',
  'Payments of the terminals of a wave that have got the versions, and those to compare them with. Counted once a minute, and less often as the span grows: at least each sixtieth of it.',
  {
    from: g.instant('When the wave began.'),
    to: g.instant('End of the span: when they were counted last, or seven days after the wave began.'),
    now: g.object(FiguresType, 'The terminals of the wave, in the span.'),
    before: g.object(FiguresType, 'The same terminals, in the same span seven days earlier.'),
    waiting: g.object.orNull(
      FiguresType,
      'Terminals of later waves that wait for the versions, in the span. Null if there are none.',
    ),
  },
);

type WaveState = 'waiting' | 'begun' | 'passed';

const WaveStateType = g.enumeration<WaveState>('RolloutWaveState', 'State of a wave.', {
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
    size: count('that were drawn into it, as `rolloutCreate` counts them with dryRun'),
    minProvenPercent: g.int('Share of proven terminals from which on the next wave may begin.'),
    minDuration: g.duration('Shortest time from the beginning of the wave to that of the next one.'),
    jobIds: g.id.list(
      'Global ids of the jobs that gave the versions to its terminals: several if it was resumed. Empty before it has begun. The filter `changedByJob` of devices takes them.',
    ),
    passedByPerson: g.flag('Whether a person has passed it, whatever was proven: see rolloutPassWave.'),
    waiting: count('that have not got the versions yet'),
    excluded: count('of it that were left out since'),
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
    'Share of terminals of a wave that have sent no request since they got the versions, from 1 to 100. Checked from an hour after the wave began on, and not before `minDuration`.',
  ),
  approvalDropPercent: g.int.orNull(
    'Points, from 1 to 100, by which the share of approved payments of a wave is lower than that of the same terminals a week before, and than that of the terminals that wait, if these have enough. See `RolloutPayments`.',
  ),
};

const StopWhenType = g.objectType<model.StopWhen, 'deadline'>(
  'RolloutStopWhen',
  'Conditions that stop a rollout. Each is null if it was not given.',
  STOP_WHEN,
);

/** Hours of a window, as they are given and shown. */
export const HOURS = {
  from: g.int('First hour, from 0 to 24.'),
  to: g.int('Hour at which it ends; before `from`, it is of the next day.'),
};

const WindowType = g.objectType<model.Window>('RolloutWindow', 'Hours of the day in which waves begin.', {
  ...HOURS,
  zone: g.text('Time zone of the hours, for example America/Sao_Paulo.'),
});

function shownFigures(figures: model.PaymentFigures, days: number) {
  const { terminals, payments } = figures;
  const perTerminalDay = terminals === 0 ? null : payments / terminals / days;
  return { ...figures, approvedPercent: approvedPercent(figures), perTerminalDay };
}

/** Payments of a wave as clients see them; null if they have not been counted. */
function shownPayments(counted: model.WavePayments | undefined) {
  if (counted?.now == null || counted.before === null) return null;
  const { from, countedAt, now, before, waiting } = counted;
  const to = Math.min(countedAt, from + model.COMPARED_MS);
  const days = (to - from) / DAY;
  return {
    from: new Date(from),
    to: new Date(to),
    now: shownFigures(now, days),
    before: shownFigures(before, days),
    waiting: waiting === null ? null : shownFigures(waiting, days),
  };
}

function shownWaves({ wave, waves, state, figures, payments }: model.Rollout) {
  return waves.map((each, place) => {
    const isPassed = place < wave || state === 'finished';
    const own: WaveState = place > wave ? 'waiting' : isPassed ? 'passed' : 'begun';
    const shown = {
      state: own,
      jobIds: (each.jobIds ?? []).map((id) => g.globalId('Job', id)),
      passedByPerson: each.passedByPerson === true,
      payments: shownPayments(payments[place]),
    };
    return { ...each, ...(figures[place] ?? model.NO_FIGURES), ...shown };
  });
}

export const rolloutWaveGraphql = g.fields(RolloutType, {
  waves: g.derived(
    { ...g.object.list(WaveType, 'Its waves, in their order.'), counts: model.MAX_WAVES },
    shownWaves,
  ),
  stopWhen: g.derived(g.object(StopWhenType, 'When it stops by itself.'), ({ stopWhen }) => stopWhen),
  deadline: g.derived(
    g.instant.orNull('Time by which it must be finished. Null if none was given.'),
    ({ stopWhen }) => (stopWhen.deadline === null ? null : new Date(stopWhen.deadline)),
  ),
  window: g.derived(
    g.object.orNull(WindowType, 'Hours in which waves begin. Null: all hours.'),
    ({ hours }) => hours,
  ),
});
