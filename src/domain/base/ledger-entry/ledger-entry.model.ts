import type { Channel } from '../../../platform/caller.js';

/** A recorded change. */
export interface LedgerEntry {
  /** The sequence: it counts the entries of the company from 1, without gaps. */
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
