import type { Generated } from 'kysely';

import type { InstantColumn, JsonColumn } from '../storage.js';
import type { AuditColumns, Identified } from './columns.js';

export interface NotificationsTable extends Identified, AuditColumns {
  content: string;
  range: string;
  kind: string;
  /**
   * Group of the recipients when it was sent; no foreign keys, so that the group and the app may be deleted.
   */
  group_id: number | null;
  app_id: number | null;
  expires_at: InstantColumn;
}

export interface NotificationDeliveriesTable extends Identified {
  notification_id: number;
  logical_number_id: number;
  /** `queued`, `sent`, `delivered`, `failed`, `expired` or `cancelled`. */
  state: string;
  queued_at: InstantColumn;
  sent_at: InstantColumn | null;
  /** Null while the delivery waits: in the states `queued` and `sent`. */
  finished_at: InstantColumn | null;
  /** Reason of a failure. */
  reason: string | null;
  /** Number of times that it was handed out. */
  attempts: Generated<number>;
  /** End of the lease of a worker or a connection; null or in the past if none has it. */
  lease_ends_at: InstantColumn | null;
  /**
   * Time from which on a worker may push it. Null except for the first waiting delivery of each logical
   * number.
   */
  due_at: InstantColumn | null;
  /** Position of its last change among all changes of the company's deliveries; drawn from `counters`. */
  sequence: number;
  /** Serial number of the terminal that it was last given to; null if unknown. */
  serial_number: string | null;
  /** Time when a terminal first confirmed it, even if it had already ended in another way. */
  confirmed_at: InstantColumn | null;
}

/** Number of deliveries of each notification by state; maintained by triggers. */
export interface NotificationTotalsTable {
  company_id: number;
  notification_id: number;
  queued: number;
  sent: number;
  delivered: number;
  failed: number;
  expired: number;
  cancelled: number;
}

/** Logical numbers of a notification whose deliveries are not queued yet, in parts. */
export interface NotificationTargetsTable {
  company_id: number;
  notification_id: number;
  part: number;
  /** JSON list of ids. */
  logical_numbers: JsonColumn;
}
