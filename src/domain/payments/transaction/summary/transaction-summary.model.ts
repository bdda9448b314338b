import type { Bucket, Segment } from '../../../../platform/buckets.js';
import { MINUTE } from '../../../../platform/clock.js';
import { offsetAt } from '../../../../platform/time-zones.js';
import { TOTAL_SPANS } from '../../../../platform/timestamps.js';
import {
  type outcomeOf,
  type ParsedPayment,
  type Transaction,
  HALF_HOURS,
  splitPeriod,
} from '../transaction.model.js';

export const DIMENSIONS = [
  ...(['status', 'transactionType', 'appName', 'logicalNumber', 'serialNumber'] as const),
  ...(['group', 'paymentStatus', 'paymentType', 'brand', 'acquirer', 'installments'] as const),
  ...(['paymentMethod', 'captureMethod', 'statusReason'] as const),
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const fieldOf = (dimension: Dimension): Exclude<Dimension, 'group'> | 'groupId' =>
  dimension === 'group' ? 'groupId' : dimension;

/** Sums of a row, in cents or numbers of transactions. */
type Sums = Readonly<
  Record<'count' | 'amountTotal' | `${ReturnType<typeof outcomeOf>}${'Count' | 'Amount'}`, number>
>;

/** Order of the rows of a summary; rows with the same value are in the order of time and dimensions. */
export interface SummaryOrder {
  readonly field: 'time' | 'deniedPercent' | Exclude<keyof Sums, `cancelled${string}`>;
  readonly direction: 'asc' | 'desc';
}

export interface SummaryPage {
  readonly order: SummaryOrder;
  readonly skip: number;
  /** Rows at most; null for all of them, if they are not too many. */
  readonly first: number | null;
  /** Payments that a row has at least. */
  readonly minPayments: number;
  /** True if hours, days, weeks and months without a transaction have a row. */
  readonly emptyBuckets: boolean;
}

export const ALL_ROWS: SummaryPage = {
  order: { field: 'time', direction: 'asc' },
  skip: 0,
  first: null,
  minPayments: 0,
  emptyBuckets: false,
};

export const MAX_ROWS = 10_000;
/** Maximum years between the first and the last transaction of a summary in a time zone. */
export const MAX_ZONED_YEARS = 20;
/** Maximum transactions that a summary reads one by one if no totals exist (by logical number). */
export const MAX_READ = 2_000_000;

type Field = ReturnType<typeof fieldOf>;
type TextField = Exclude<Field, 'status' | 'transactionType' | 'groupId' | 'paymentStatus' | 'installments'>;

/** Values that the transactions of a row share, null unless grouped by them, and their sums. */
export interface SummaryRow extends Sums, Readonly<Record<TextField, string | null>> {
  readonly bucketStart: Date | null;
  /** First instant after the bucket. */
  readonly bucketEnd: Date | null;
  readonly status: Transaction['status'] | null;
  readonly transactionType: Transaction['transactionType'] | null;
  /** The group of the logical number when the transactions were recorded; it may be gone. */
  readonly groupId: number | null;
  readonly paymentStatus: ParsedPayment['status'] | null;
  readonly installments: number | null;
}

/** Approved, denied and cancelled ones. */
export const paymentsOf = ({ approvedCount, deniedCount, cancelledCount }: SummaryRow): number =>
  approvedCount + deniedCount + cancelledCount;

/** Ranges to read by the length of their spans; of `instant` ones, single transactions (decisions.md#summary-time-zones). */
export function rangesToRead(bucket: Bucket, segments: readonly Segment[]) {
  const parts = segments.flatMap((segment) =>
    splitPeriod(segment, bucket === 'hour' ? HALF_HOURS : TOTAL_SPANS).map((part) => ({
      ...segment,
      ...part,
    })),
  );
  return Map.groupBy(parts, ({ of }) => of);
}

/** Half years from 1970 to 2040, whose offsets represent all times. */
const HALF_YEARS = Array.from({ length: 140 }, (_, index) => Date.UTC(1970, 6 * index, 1));

/** True if days begin off the half hour of UTC: in Kathmandu, Chatham, Eucla, and some others before 1976. */
export const isOffHalfHours = (timeZone: string): boolean =>
  HALF_YEARS.some((at) => offsetAt(timeZone, at) % (30 * MINUTE) !== 0);
