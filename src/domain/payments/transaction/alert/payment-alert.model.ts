import { z } from 'zod';

import {
  Days,
  HoursOfRule,
  KeptFilter,
  refineHours,
  refineThreshold,
  Threshold,
  timeOfRule,
} from '../../../base/alert/alert.model.js';

/** Payments of the time up to now. Their filter is one of transactions: all payments without it. */
const Payments = { filter: KeptFilter, within: timeOfRule(1), ...Threshold.shape };
const above = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Without `count` and `percent`, kinds look at all payments together. */
export const LowApproval = z
  .object({
    ...Payments,
    below: z.number().int().min(1).max(100),
    minPayments: z.number().int().min(1).max(1_000_000),
  })
  .superRefine(refineThreshold(true));
export type LowApproval = z.output<typeof LowApproval>;

export const HighSales = z.object({ ...Payments, above }).superRefine(refineThreshold(true));
export type HighSales = z.output<typeof HighSales>;

export const LargePayments = z.object({ ...Payments, above }).superRefine(refineThreshold());
export type LargePayments = z.output<typeof LargePayments>;

export const NoPayments = z
  .object({
    /** A filter of devices: all of them without it. */
    filter: KeptFilter,
    lasting: timeOfRule(3),
    ...HoursOfRule.shape,
    days: Days,
    ...Threshold.shape,
  })
  .superRefine(refineHours)
  .superRefine(refineThreshold());
export type NoPayments = z.output<typeof NoPayments>;

/** Figures of the payments of one terminal. */
export interface TerminalPayments {
  readonly serialNumber: string;
  /** Percent approved, or the amount that is compared. */
  readonly value: number;
  readonly payments: number;
}
