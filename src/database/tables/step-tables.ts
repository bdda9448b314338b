import type { Generated } from 'kysely';

import type { JsonColumn } from '../storage.js';

/** Links of logical numbers with app versions. */
export interface HeldVersionsTable {
  company_id: number;
  logical_number_id: number;
  app_version_id: number;
  /** Last id of `removals` when the link was made; only later rows remove the link. */
  made_after: number;
}

/** Records that a large change has removed, and whose rows are removed later in steps; see `removals.ts`. */
export interface RemovalsTable {
  id: Generated<number>;
  company_id: number;
  group_id: number | null;
  logical_number_id: number | null;
  app_version_id: number | null;
  app_id: number | null;
  /** Number of the change, equal in all of its rows. */
  change: number;
  /** Last logical number that the steps have processed. */
  position: number;
  /** Caller of the change, also for the ledger entries of the steps. */
  caller: JsonColumn;
}
