import type { KeptPeriods } from '../../platform/config/kept-periods.js';
import type { Period } from '../../platform/period.js';

/** What retention deletes. */
export const KINDS = ['transactions', 'ledger', 'deliveries', 'tokens'] as const;
export type Kind = (typeof KINDS)[number];

/** Tokens that have expired or were revoked are kept so long, so that a member still sees what became of them. */
const KEEP_TOKENS: Period = { months: 0, days: 90 };

/** How long each kind is kept; null: for ever. */
export type Rules = Readonly<Record<Kind, Period | null>>;

export const rulesOf = (keep: KeptPeriods): Rules => ({ ...keep, tokens: KEEP_TOKENS });

/** Rows that would be deleted, or were. Times of the oldest and the newest of them; null if there are none. */
export interface OldRows {
  readonly count: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

/** What was deleted of a table of a company. */
export interface Deleted {
  readonly count: number;
  readonly upTo: number;
  readonly newestAt: Date | null;
}

export type DeletedRows = Readonly<Record<Exclude<Kind, 'tokens'>, Deleted>>;
