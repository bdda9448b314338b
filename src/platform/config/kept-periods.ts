import { parsePeriod, type Period } from '../period.js';

/** How long rows are kept; null: for ever. */
export interface KeptPeriods {
  readonly transactions: Period | null;
  readonly ledger: Period | null;
  readonly deliveries: Period | null;
}

/** Reads a setting such as `13 months`, or `forever`. Errors: an `Error`. */
export function parseKept(value: string): Period | null {
  if (value === 'forever') return null;
  try {
    return parsePeriod(value);
  } catch (error) {
    throw new Error(`${(error as Error).message}; or forever`, { cause: error });
  }
}

type Read = (name: string, parse: typeof parseKept, onError: null) => Period | null;

/** From the settings `KEEP_…`. */
export function readKeptPeriods(read: Read): KeptPeriods {
  return {
    transactions: read('KEEP_TRANSACTIONS', parseKept, null),
    ledger: read('KEEP_LEDGER', parseKept, null),
    deliveries: read('KEEP_DELIVERIES', parseKept, null),
  };
}
