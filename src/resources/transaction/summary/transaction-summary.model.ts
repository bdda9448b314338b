import type { Transaction } from '../transaction.model.js';

/** Units of UTC time by which a summary is grouped; `none` for the whole interval. */
export const BUCKETS = ['hour', 'day', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Fields by which a summary is grouped. */
export const DIMENSIONS = ['status', 'transactionType', 'appName', 'logicalNumber', 'group'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Maximum rows of a summary. */
export const MAX_ROWS = 10_000;
/** Maximum transactions that a summary reads one by one, where no totals exist (by logical number or group). */
export const MAX_READ = 2_000_000;
/** Maximum transactions that one statement reads: about 50 ms, during which the event loop is blocked. */
export const MAX_READ_PER_STATEMENT = 20_000;

/** Sums in cents; transactions without an amount count as 0. */
export interface Amounts {
  /** All payments: approved, denied and cancelled. */
  readonly amountTotal: number;
  readonly approvedAmount: number;
  readonly deniedAmount: number;
  /** Approved cancellations and refunds. */
  readonly cancelledAmount: number;
}

/** The values that the transactions of a row share; null for a field by which the summary is not grouped. */
export interface SummaryRow extends Amounts {
  readonly bucketStart: Date | null;
  readonly status: Transaction['status'] | null;
  readonly transactionType: Transaction['transactionType'] | null;
  readonly appName: string | null;
  readonly logicalNumber: string | null;
  /** The present group of the logical number. */
  readonly groupId: number | null;
  readonly count: number;
}
