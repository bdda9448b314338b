import { instant, integer, jsonb, optional, text, withFallback } from './columns.js';
import { companyTable, ownedBy, recordTable, table } from './table.js';

/** States of a delivery, in the order in which they follow each other. */
export const DELIVERY_STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;

export const messages = {
  notifications: recordTable(
    {
      content: text,
      range: text,
      kind: text,
      /** Group of the recipients when it was sent; no references, so that the group and the app may be deleted. */
      group_id: optional(integer),
      app_id: optional(integer),
      expires_at: instant,
    },
    {
      indexes: [
        ['kind', 'id'],
        ['group_id', 'id'],
        ['expires_at', 'id'],
      ],
    },
  ),

  notification_deliveries: companyTable(
    {
      notification_id: integer,
      logical_number_id: integer,
      /** One of `DELIVERY_STATES`. */
      state: text,
      queued_at: instant,
      sent_at: optional(instant),
      /** Null while the delivery waits: in the states `queued` and `sent`. */
      finished_at: optional(instant),
      /** Reason of a failure. */
      reason: optional(text),
      /** Number of times that it was handed out. */
      attempts: withFallback(integer, 0),
      /** End of the lease of a worker or a connection; null or in the past if none has it. */
      lease_ends_at: optional(instant),
      /**
       * Time from which on a worker may push it. Null except for the first waiting delivery of each logical
       * number.
       */
      due_at: optional(instant),
      /** Position of its last change among all changes of the company's deliveries; drawn from `counters`. */
      sequence: integer,
      /** Serial number of the terminal that it was last given to; null if unknown. */
      serial_number: optional(text),
      /** Time when a terminal first confirmed it, even if it had already ended in another way. */
      confirmed_at: optional(instant),
    },
    {
      unique: [['company_id', 'notification_id', 'logical_number_id']],
      references: [
        ownedBy('notification_id', 'notifications'),
        ownedBy('logical_number_id', 'logical_numbers'),
      ],
      indexes: [
        ['logical_number_id', 'id'],
        ['notification_id', 'id'],
        ['notification_id', 'state', 'id'],
        ['serial_number', 'id'],
        ['sequence'],
        {
          name: 'notification_deliveries_waiting',
          columns: ['company_id', 'logical_number_id', 'id'],
          where: 'finished_at is null',
        },
        {
          name: 'notification_deliveries_due',
          columns: ['company_id', 'due_at', 'id'],
          where: 'due_at is not null',
        },
        // Retention deletes deliveries in these states only.
        {
          name: 'notification_deliveries_ended',
          columns: ['company_id', 'finished_at'],
          where: "state in ('delivered', 'failed', 'expired', 'cancelled')",
        },
      ],
    },
  ),

  /** Number of deliveries of each notification by state; triggers maintain it. */
  notification_totals: table(
    {
      company_id: integer,
      notification_id: integer,
      queued: integer,
      sent: integer,
      delivered: integer,
      failed: integer,
      expired: integer,
      cancelled: integer,
    },
    {
      key: ['company_id', 'notification_id'],
      references: [ownedBy('notification_id', 'notifications')],
      indexes: [
        {
          name: 'notification_totals_waiting',
          columns: ['company_id', 'notification_id'],
          where: 'queued + sent > 0',
        },
      ],
      isKeyed: true,
      fillFactor: 70,
    },
  ),

  /** Logical numbers of a notification whose deliveries are not queued yet, in parts. */
  notification_targets: table(
    {
      company_id: integer,
      notification_id: integer,
      part: integer,
      /** List of ids. */
      logical_numbers: jsonb,
    },
    {
      key: ['company_id', 'notification_id', 'part'],
      references: [ownedBy('notification_id', 'notifications')],
    },
  ),
};
