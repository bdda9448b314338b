import { invalid } from './errors.js';

/** Whether one bad row of a batch stops the whole batch. */
export type ErrorPolicy = 'REJECT_EVERYTHING' | 'REJECT_FAILED_ROWS';

const MAX_ROWS = 1_000;

/** Refuses a batch that is too long for one request; `name` is what its rows are called. Errors: `invalid`. */
export function refuseTooManyRows(name: string, rows: readonly unknown[]): void {
  if (rows.length > MAX_ROWS) throw invalid(name, `must have at most ${MAX_ROWS} entries`);
}
