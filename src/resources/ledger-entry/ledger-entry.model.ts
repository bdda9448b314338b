import type { Channel } from '../../platform/caller.js';

/** One recorded change of a company, as it is read back. */
export interface LedgerEntry {
  /** Its sequence: grows with every change, never used twice. */
  readonly id: number;
  readonly sequence: number;
  readonly at: Date;
  readonly companyId: number | null;
  readonly userId: number | null;
  readonly channel: Channel;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly before: object | null;
  readonly after: object | null;
}
