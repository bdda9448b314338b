import { parsePeriod, type Period } from '../period.js';
import type { ReadSetting } from './presence.js';

/** Retention periods; null: kept for ever. */
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

/** Reads the settings `KEEP_…`. */
export function readKeptPeriods(read: ReadSetting): KeptPeriods {
  return {
    transactions: read('KEEP_TRANSACTIONS', parseKept, null),
    ledger: read('KEEP_LEDGER', parseKept, null),
    deliveries: read('KEEP_DELIVERIES', parseKept, null),
  };
}
