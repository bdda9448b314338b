import * as g from '../../../graphql/index.js';
import { DAY } from '../../../platform/clock.js';
import { approvedPercent } from './rollout-payments.service.js';
import { COMPARED_MS, type PaymentFigures, type WavePayments } from './rollout.model.js';

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

export const PaymentsType = g.objectType<NonNullable<ReturnType<typeof shownPayments>>>(
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

function shownFigures(figures: PaymentFigures, days: number) {
  const { terminals, payments } = figures;
  const perTerminalDay = terminals === 0 ? null : payments / terminals / days;
  return { ...figures, approvedPercent: approvedPercent(figures), perTerminalDay };
}

/** Payments of a wave as clients see them; null if they have not been counted. */
export function shownPayments(counted: WavePayments | undefined) {
  if (counted?.now == null || counted.before === null) return null;
  const { from, countedAt, now, before, waiting } = counted;
  const to = Math.min(countedAt, from + COMPARED_MS);
  const days = (to - from) / DAY;
  return {
    from: new Date(from),
    to: new Date(to),
    now: shownFigures(now, days),
    before: shownFigures(before, days),
    waiting: waiting === null ? null : shownFigures(waiting, days),
  };
}
