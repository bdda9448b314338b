import type { ParsedPayment, Transaction } from '../transaction.model.js';

/** Units of time by which a summary is grouped; `none` for the whole interval. */
export const BUCKETS = ['hour', 'day', 'week', 'month', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Fields by which a summary is grouped. */
export const DIMENSIONS = [
  ...(['status', 'transactionType', 'appName', 'logicalNumber', 'group'] as const),
  ...(['paymentStatus', 'paymentType', 'brand', 'acquirer', 'installments'] as const),
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The field of a row with the value of a dimension. */
export const fieldOf = (dimension: Dimension): Exclude<Dimension, 'group'> | 'groupId' =>
  dimension === 'group' ? 'groupId' : dimension;

/** Maximum rows of a summary. */
export const MAX_ROWS = 10_000;
/** Maximum years between the first and the last transaction of a summary in a time zone. */
export const MAX_ZONED_YEARS = 20;
/** Maximum transactions that a summary reads one by one if no totals exist (by logical number). */
export const MAX_READ = 2_000_000;

/**
 * The values that the transactions of a row share; null for a field by which the summary is not grouped. Sums are
 * in cents; transactions without an amount count as 0.
 */
export interface SummaryRow {
  readonly bucketStart: Date | null;
  readonly status: Transaction['status'] | null;
  readonly transactionType: Transaction['transactionType'] | null;
  readonly appName: string | null;
  readonly logicalNumber: string | null;
  /** The group of the logical number when the transactions were recorded; it may be gone. */
  readonly groupId: number | null;
  readonly paymentStatus: ParsedPayment['status'] | null;
  readonly paymentType: string | null;
  readonly brand: string | null;
  readonly acquirer: string | null;
  readonly installments: number | null;
  readonly count: number;
  /** All payments: approved, denied and cancelled. */
  readonly amountTotal: number;
  readonly approvedAmount: number;
  readonly deniedAmount: number;
  /** Approved cancellations and refunds. */
  readonly cancelledAmount: number;
}
