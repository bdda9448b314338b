import {
  companyTable,
  flag,
  instant,
  integer,
  jsonb,
  optional,
  ownedBy,
  recordTable,
  table,
} from './table.js';
import { text, withFallback } from './table.js';

/** States of a delivery, in the order in which they follow each other. */
export const DELIVERY_STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;

/** States of a command for one terminal, which may report more than that it has got it; another command may take its place. */
export const COMMAND_STATES = [...DELIVERY_STATES, 'done', 'replaced'] as const;

/** Condition of the deliveries that have ended, which alone retention deletes. */
export const HAS_ENDED = "state in ('delivered', 'failed', 'expired', 'cancelled', 'done', 'replaced')";

const totalsOf = <State extends string>(states: readonly State[]) =>
  Object.fromEntries(states.map((state) => [state, integer])) as Record<State, typeof integer>;

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
        ['app_id', 'id'],
        ['expires_at', 'id'],
      ],
    },
  ),

  /** Actions for terminals, such as a restart. */
  commands: recordTable(
    {
      action: text,
      /** The action and its parameters, each after a pipe: `REBOOT|`. */
      content: text,
      is_urgent: flag,
      expires_at: instant,
      cancelled_at: optional(instant),
    },
    {
      indexes: [
        ['action', 'id'],
        ['expires_at', 'id'],
      ],
    },
  ),

  /** The queue of all that waits for terminals: notifications for logical numbers, and commands for devices. */
  notification_deliveries: companyTable(
    {
      notification_id: optional(ownedBy('notifications')),
      logical_number_id: optional(ownedBy('logical_numbers')),
      command_id: optional(ownedBy('commands')),
      device_id: optional(ownedBy('devices')),
      /** Place in the queue: one lane is handed out in order, see `lanesOf`. */
      lane: integer,
      /** One of `DELIVERY_STATES` for a notification, of `COMMAND_STATES` for a command. */
      state: text,
      queued_at: instant,
      sent_at: optional(instant),
      /** Null while the delivery waits: in the states `queued` and `sent`. */
      finished_at: optional(instant),
      reason: optional(text),
      /** Why a terminal could not do a command, as a word of its firmware. */
      code: optional(text),
      /** Number of times that it was handed out. */
      attempts: withFallback(integer, 0),
      /** End of the lease of a worker or a connection; null or in the past if none has it. */
      lease_ends_at: optional(instant),
      /** Time from which on a worker may push it; null but for the first waiting delivery of a lane. */
      due_at: optional(instant),
      /** Position of its last change among all changes of the company's deliveries; drawn from `counters`. */
      sequence: integer,
      /** Serial number of the terminal that it was last given to; null if unknown. */
      serial_number: optional(text),
      /** Time when a terminal first confirmed it, even if it had already ended in another way. */
      confirmed_at: optional(instant),
    },
    {
      unique: [
        ['company_id', 'notification_id', 'logical_number_id'],
        ['company_id', 'command_id', 'device_id'],
      ],
      check: '(notification_id is null) = (command_id is not null)',
      indexes: [
        ['logical_number_id', 'id'],
        ['notification_id', 'id'],
        ['notification_id', 'state', 'id'],
        ['device_id', 'id'],
        ['command_id', 'id'],
        ['command_id', 'state', 'id'],
        ['serial_number', 'id'],
        ['sequence'],
        { name: 'waiting', columns: ['company_id', 'lane', 'id'], where: 'finished_at is null' },
        { name: 'due', columns: ['company_id', 'due_at', 'id'], where: 'due_at is not null' },
        { name: 'ended', columns: ['company_id', 'finished_at'], where: HAS_ENDED },
      ],
    },
  ),

  /** Number of deliveries of each notification by state; triggers maintain it. */
  notification_totals: table(
    { company_id: integer, notification_id: ownedBy('notifications'), ...totalsOf(DELIVERY_STATES) },
    {
      key: ['company_id', 'notification_id'],
      indexes: [{ name: 'waiting', columns: ['company_id', 'notification_id'], where: 'queued + sent > 0' }],
      isKeyed: true,
      fillFactor: 70,
    },
  ),

  /** Number of terminals of each command by state; triggers maintain it. */
  command_totals: table(
    { company_id: integer, command_id: ownedBy('commands'), ...totalsOf(COMMAND_STATES) },
    {
      key: ['company_id', 'command_id'],
      indexes: [{ name: 'waiting', columns: ['company_id', 'command_id'], where: 'queued + sent > 0' }],
      isKeyed: true,
      fillFactor: 70,
    },
  ),

  /** Logical numbers of a notification whose deliveries are not queued yet, in parts. */
  notification_targets: table(
    {
      company_id: integer,
      notification_id: ownedBy('notifications'),
      part: integer,
      /** List of ids. */
      logical_numbers: jsonb,
    },
    { key: ['company_id', 'notification_id', 'part'] },
  ),
};
