import type { Caller } from '../../platform/caller.js';

/** What is removed: a deleted record with all that it owns, or a version from the logical numbers of a group. */
export type Removed =
  | { readonly groupId: number; readonly appVersionId?: never }
  | { readonly logicalNumberId: number }
  | { readonly appId: number }
  | { readonly appVersionId: number; readonly groupId?: number };

/** Something that is hidden already and removed in steps. */
export interface Removal {
  readonly id: number;
  readonly groupId: number | null;
  readonly logicalNumberId: number | null;
  readonly appVersionId: number | null;
  readonly appId: number | null;
  /** The same for everything that one change removes. */
  readonly change: number;
  /** The id of the last logical number that was dealt with; 0 at the beginning. */
  readonly position: number;
  /** Who made the change. */
  readonly caller: Caller;
}
