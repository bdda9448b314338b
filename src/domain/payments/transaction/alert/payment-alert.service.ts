import type { Condition } from '../../../../database/list/condition.js';
import type { ReadWork } from '../../../../database/work.js';
import { DAY } from '../../../../platform/clock.js';
import { isOpen, openSince } from '../../../../platform/hours.js';
import { type Figure, hoursOf, isOfEach, type Measured, reaches } from '../../../base/alert/alert.model.js';
import type { AlertKind, AlertTools } from '../../../base/alert/alert.service.js';
import { devices } from '../../../fleet/device/device.service.js';
import { ALL_ROWS, paymentsOf, type SummaryRow } from '../summary/transaction-summary.model.js';
import { summarizeTransactions } from '../summary/transaction-summary.service.js';
import { meaningOf } from '../transaction.service.js';
import { HighSales, LargePayments, LowApproval, NoPayments } from './payment-alert.model.js';
import {
  byAmount,
  byApproval,
  countTerminals,
  countWithout,
  longestWithout,
  type Measure,
  type PaymentPeriod,
  type Unpaid,
  worstTerminals,
} from './payment-alert.repository.js';

type OfPayments = LowApproval | HighSales | LargePayments;

async function timeOf(
  { now }: ReadWork,
  on: OfPayments,
  { conditionOf }: AlertTools,
): Promise<PaymentPeriod> {
  const where = on.filter == null ? { and: [] } : await conditionOf('Transaction', on.filter);
  return { where, from: new Date(now.getTime() - on.within), to: now };
}

const endsOf = ({ from, to }: PaymentPeriod) => ({ from: from.toISOString(), to: to.toISOString() });

/** Figures of all payments of a time together, from totals where they are kept by the fields of the filter. */
async function togetherIn(
  work: ReadWork,
  { where, from, to }: PaymentPeriod,
): Promise<SummaryRow | undefined> {
  const time: Condition[] = [
    { field: 'startedAt', operator: 'gte', value: from },
    { field: 'startedAt', operator: 'lt', value: to },
  ];
  const request = { bucket: 'none', by: [], timeZone: null, ...ALL_ROWS } as const;
  const [row] = await summarizeTransactions(work, { ...request, where: { and: [where, ...time] } });
  return row;
}

/** Measures of a kind: of each terminal, and of all payments together if it may. */
interface Measuring<On> extends Pick<AlertKind, 'isOfAmounts'> {
  readonly each: (on: On) => Measure;
  readonly together?: (on: On, row: SummaryRow) => Measured & { readonly value: number };
}

/** A kind of alerts of payments. */
function paymentKind<On extends OfPayments>(
  model: AlertKind<On>['model'],
  { each, together, isOfAmounts = false }: Measuring<On>,
): AlertKind<On> {
  const isTogether = (on: On): boolean => together !== undefined && !isOfEach(on);
  return {
    model,
    isOfAmounts,
    measure: async (work, on, tools) => {
      const time = await timeOf(work, on, tools);
      if (isTogether(on)) {
        const row = await togetherIn(work, time);
        const none = { affected: 0, total: 0, isMet: false };
        return row === undefined ? none : (together?.(on, row) ?? none);
      }
      const { total, affected } = await countTerminals(work, meantIn(work, time), each(on));
      return { affected, total, isMet: reaches(on, affected, total) };
    },
    examples: async (work, on, tools): Promise<readonly Figure[]> => {
      const time = await timeOf(work, on, tools);
      if (isTogether(on)) {
        const row = await togetherIn(work, time);
        if (row === undefined || together === undefined) return [];
        const { value } = together(on, row);
        return [{ name: null, value, payments: paymentsOf(row), ...endsOf(time) }];
      }
      const worst = await worstTerminals(work, meantIn(work, time), each(on));
      return worst.map(({ serialNumber: name, ...of }) => ({ name, ...of, ...endsOf(time) }));
    },
  };
}

const meantIn = (work: ReadWork, time: PaymentPeriod): PaymentPeriod => ({
  ...time,
  where: meaningOf(work, time.where) ?? time.where,
});

/** Opens when too few payments are approved: everything that was not denied counts, as in `deniedPercent` of summaries. */
export const lowApproval = paymentKind<LowApproval>(LowApproval, {
  each: byApproval,
  together: ({ below, minPayments }, row) => {
    const payments = paymentsOf(row);
    const value = payments === 0 ? 100 : (100 * (payments - row.deniedCount)) / payments;
    const isMet = payments >= minPayments && 100 * (payments - row.deniedCount) < below * payments;
    return { affected: row.deniedCount, total: payments, isMet, value };
  },
});

export const highSales = paymentKind<HighSales>(HighSales, {
  isOfAmounts: true,
  each: ({ above }) => byAmount('approved_amount', above),
  together: ({ above }, { approvedCount, approvedAmount: value }) => ({
    affected: approvedCount,
    total: null,
    isMet: value >= above,
    value,
  }),
});

export const largePayments = paymentKind<LargePayments>(LargePayments, {
  isOfAmounts: true,
  each: ({ above }) => byAmount('largest', above),
});

/** A terminal without a payment for so long before the time of a rule is not used any more. */
const IN_USE_MS = 30 * DAY;

const IS_ENABLED: Condition = { field: 'enabled', operator: 'eq', value: true };

async function withoutPayments(work: ReadWork, on: NoPayments, { conditionOf }: AlertTools): Promise<Unpaid> {
  const { now } = work;
  const hours = hoursOf(on);
  const without = hours === null ? new Date(now.getTime() - on.lasting) : openSince(hours, now, on.lasting);
  const given = on.filter == null ? [] : [await conditionOf('Device', on.filter)];
  const found = devices.from(work, { and: [...given, IS_ENABLED] }, ['serial_number']);
  return { devices: found, since: new Date(without.getTime() - IN_USE_MS), without };
}

export const noPayments: AlertKind<NoPayments> = {
  model: NoPayments,
  measure: async (work, on, tools) => {
    const { total, affected } = await countWithout(work, await withoutPayments(work, on, tools));
    const hours = hoursOf(on);
    const isQuiet = hours !== null && !isOpen(hours, work.now);
    return { affected, total, isMet: reaches(on, affected, total), isQuiet };
  },
  examples: async (work, on, tools) => {
    const to = work.now.toISOString();
    const longest = await longestWithout(work, await withoutPayments(work, on, tools));
    return longest.map(({ name, lastAt }): Figure => {
      return { name, value: null, payments: null, from: new Date(lastAt).toISOString(), to };
    });
  },
};
