import type { Generated } from 'kysely';

import type { JsonColumn } from '../storage.js';

/** Links of logical numbers with app versions. */
export interface HeldVersionsTable {
  company_id: number;
  logical_number_id: number;
  app_version_id: number;
  /** The last row of `removals` when the link was made; only later ones remove it. */
  made_after: number;
}

/** What a change of many records has removed, and steps have yet to remove; see `removals.ts`. */
export interface RemovalsTable {
  id: Generated<number>;
  company_id: number;
  group_id: number | null;
  logical_number_id: number | null;
  app_version_id: number | null;
  app_id: number | null;
  /** The same for all rows of one change. */
  change: number;
  /** The last logical number that the steps have dealt with. */
  position: number;
  /** Who made the change; the ledger entries of the steps have it too. */
  caller: JsonColumn;
}
