import type { KeptPeriods } from '../../../platform/config/parsing.js';
import type { Period } from '../../../platform/period.js';

/** Kinds of rows that retention deletes. */
export const KINDS = ['transactions', 'ledger', 'deliveries', 'tokens'] as const;
export type Kind = (typeof KINDS)[number];

/** Retention of expired and revoked tokens, so that members can still see them. */
const KEEP_TOKENS: Period = { months: 0, days: 90 };

/** Retention period of each kind; null to keep rows for ever. */
export type Rules = Readonly<Record<Kind, Period | null>>;

export const rulesOf = (keep: KeptPeriods): Rules => ({ ...keep, tokens: KEEP_TOKENS });

/** Count and times of rows that would be deleted, or were. Times are null if there are none. */
export interface OldRows {
  readonly count: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

/**
 * Statistics of the deleted rows of a company's table: their number, the highest deleted id (0 for
 * deliveries), and the newest time.
 */
export interface Deleted {
  readonly count: number;
  readonly upTo: number;
  readonly newestAt: Date | null;
}

export type DeletedRows = Readonly<Record<Exclude<Kind, 'tokens'>, Deleted>>;
