import type { Transaction } from '../transaction.model.js';

/** Stretches of UTC time that a summary tells apart; none for the whole interval. */
export const BUCKETS = ['hour', 'day', 'none'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** What a summary tells apart besides time. */
export const DIMENSIONS = ['status', 'transactionType', 'appName', 'logicalNumber', 'group'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Rows that a summary answers at most. */
export const MAX_ROWS = 10_000;
/** Transactions that a summary reads one by one at most: by logical number or group no totals are kept. */
export const MAX_READ = 2_000_000;
/** Those that one statement reads: some 50 ms, in which nobody else is served. */
export const MOST_AT_ONCE = 20_000;

/** What the transactions have in common that a row is of; null where the summary does not tell it apart. */
export interface SummaryRow {
  readonly bucketStart: Date | null;
  readonly status: Transaction['status'] | null;
  readonly transactionType: Transaction['transactionType'] | null;
  readonly appName: string | null;
  readonly logicalNumber: string | null;
  /** Where the logical number is now. */
  readonly groupId: number | null;
  readonly count: number;
  /** Cents, of those that have an amount. */
  readonly amountTotal: number;
}
