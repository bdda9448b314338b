import { invalid } from '../errors.js';

/**
 * Effect of an invalid row on the rest of its batch: nothing is written, or only the invalid rows are
 * skipped.
 */
export type ErrorPolicy = 'REJECT_EVERYTHING' | 'REJECT_FAILED_ROWS';

export const MAX_ROWS = 1_000;

/** Refuses a batch of more than 1,000 rows; `field` is the field that holds them. Errors: `invalid`. */
export function refuseTooManyRows(field: string, rows: readonly unknown[]): void {
  if (rows.length > MAX_ROWS) throw invalid(field, `must have at most ${MAX_ROWS} entries`);
}
