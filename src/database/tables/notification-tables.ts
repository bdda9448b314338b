import type { Generated } from 'kysely';

import type { InstantColumn, JsonColumn } from '../storage.js';
import type { AuditColumns, Identified } from './columns.js';

export interface NotificationsTable extends Identified, AuditColumns {
  content: string;
  range: string;
  kind: string;
  /** Recipients at the time of sending; no foreign keys, so that they may be deleted. */
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
  /** Why it failed. */
  reason: string | null;
  /** How often it was handed out. */
  attempts: Generated<number>;
  /** Until when a worker or a connection holds it; in the past, and null, if none does. */
  lease_ends_at: InstantColumn | null;
  /** When a worker may push it. Only the first waiting delivery of each logical number has a time. */
  due_at: InstantColumn | null;
  /** Position of its last change among those of the deliveries of its company; drawn from `counters`. */
  sequence: number;
  /** Serial number of the terminal that it was last given to; null if that is not known. */
  serial_number: string | null;
  /** When a terminal first confirmed it, also after it has ended in another way. */
  confirmed_at: InstantColumn | null;
}

/** Deliveries of each notification by state; kept by triggers. */
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
  /** Ids. */
  logical_numbers: JsonColumn;
}
