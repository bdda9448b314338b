import type { Caller } from '../../platform/caller.js';

/** A deleted record with all that it owns, or a version removed from the logical numbers of a group. */
export type Removed =
  | { readonly groupId: number; readonly appVersionId?: never }
  | { readonly logicalNumberId: number }
  | { readonly appId: number }
  | { readonly appVersionId: number; readonly groupId?: number };

/** Rows that no query returns any more, and that a background job deletes. */
export interface Removal {
  readonly id: number;
  readonly groupId: number | null;
  readonly logicalNumberId: number | null;
  readonly appVersionId: number | null;
  readonly appId: number | null;
  /** Number of the change. All removals by one change have the same number. */
  readonly change: number;
  /** Id of the last logical number that was handled; 0 at the beginning. */
  readonly position: number;
  /** Caller who made the change. */
  readonly caller: Caller;
}
