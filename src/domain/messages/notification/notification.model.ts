import { z } from 'zod';

import { DAY, HOUR, SECOND } from '../../../platform/clock.js';
import { rule } from '../../../platform/rules.js';
import { freeText, type Audit, recordId } from '../../../platform/validate.js';
import { type COMMAND_STATES, DELIVERY_STATES } from '../../../schema/messages.js';
import type { RecordOf } from '../../../schema/schema.js';

export const NOTIFICATION_RANGES = ['group', 'specific_logical_numbers'] as const;
export type NotificationRange = (typeof NOTIFICATION_RANGES)[number];
export const NOTIFICATION_KINDS = ['show', 'processing'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** A delivery that is still queued after this time expires (contract 26). */
export const QUEUED_MS = 7 * DAY;

export const NotificationSend = z.object({
  content: freeText(4096).refine((text) => text.trim() !== '', rule('must not be empty')),
  range: z.enum(NOTIFICATION_RANGES).optional().describe('Follows from the target where absent.'),
  groupId: recordId.nullable().optional().describe('Required with range group.'),
  logicalNumbers: z.array(z.string()).nullable().optional(),
  kind: z.enum(NOTIFICATION_KINDS).nullable().optional().describe('show where absent.'),
  appId: recordId.nullable().optional().describe('Handles the notification; only with kind processing.'),
});
export type NotificationSend = z.output<typeof NotificationSend>;

/** A notification in REST: the logical numbers are a comma-separated text, or a list. */
export const NotificationSendText = NotificationSend.extend({
  range: z.enum(NOTIFICATION_RANGES),
  logicalNumbers: z
    .union([z.string(), z.array(z.string())], rule('must be comma-separated text or a list of texts'))
    .nullable()
    .optional()
    .transform((given) => (typeof given === 'string' ? numbersIn(given) : given))
    .describe('Comma-separated; required with range specific_logical_numbers.'),
});

const numbersIn = (text: string): string[] | null => (text.trim() === '' ? null : text.split(','));

/** The content is for example `SHOW_MESSAGE|Hello`. */
export type Notification = RecordOf<'notifications', Audit & NotificationFields>;

interface NotificationFields {
  readonly range: NotificationRange;
  readonly kind: NotificationKind;
}

export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type CommandState = (typeof COMMAND_STATES)[number];
/** Final states of a delivery; only a failed one can be queued again. */
export type FinishedState = Exclude<CommandState, 'queued' | 'sent'>;

/** A notification or a command for a terminal, also one that has ended. */
export type QueuedMessage = RecordOf<'notification_deliveries', { readonly state: CommandState }>;

/** A message that is a notification. */
export interface Delivery extends Omit<QueuedMessage, 'commandId' | 'deviceId' | 'code'> {
  readonly state: DeliveryState;
  readonly notificationId: number;
  readonly logicalNumberId: number;
}

/** The latest change of a delivery; `id` is its position among the changes of the company. */
export interface DeliveryChange {
  readonly id: number;
  readonly delivery: Delivery;
}

export type DeliverySummary = Readonly<Record<DeliveryState, number>>;
export const NO_DELIVERIES = Object.fromEntries(
  DELIVERY_STATES.map((state) => [state, 0]),
) as DeliverySummary;

/** Entity type that `Units.onCommitted` reports for each company whose deliveries have changed. */
export const DELIVERY = 'notification_delivery';
/** Name of the counter for the positions of changes. */
export const DELIVERY_CHANGES = 'delivery_changes';

/** Lane of commands: a negative number, since those of notifications are ids of logical numbers. */
export const laneOf = (deviceId: number, isUrgent: boolean): number => -2 * deviceId - (isUrgent ? 1 : 0);

/** Duration for which a worker or a connection holds a delivery. */
export const LEASE_MS = 30 * SECOND;
/** Maximum attempts without a confirmation, after which a delivery fails. */
export const MAX_ATTEMPTS = 100;
/** Pauses between attempts to push an unconfirmed delivery: 30 s, doubled each time, at most 2 h. */
export const PAUSES_MS: readonly number[] = [
  ...[30, 60, 120, 240, 480, 960, 1920, 3840].map((seconds) => seconds * SECOND),
  2 * HOUR,
];

/** A delivery that a worker or a connection holds until `leaseEndsAt`. */
export interface ClaimedDelivery extends Pick<QueuedMessage, 'id' | 'lane' | 'queuedAt'> {
  readonly companyId: number;
  readonly logicalNumber: string;
  /** For example `17|SHOW_MESSAGE|Closed on Sunday|03-01-2026 09:00`. */
  readonly message: string;
  /** Asset name of the app that handles it, for example `acme_sale.rb`; null for none. */
  readonly app: string | null;
  /** Its id and its end, if it is a command: the terminal must not do it after that. */
  readonly command?: { readonly id: number; readonly expiresAt: Date };
  /** End of the claim, which also identifies it: methods that end a claim have no effect on a later one. */
  readonly leaseEndsAt: Date;
}

/** State of a waiting delivery, to decide whether it is handed out. */
export interface WaitingDelivery extends Pick<QueuedMessage, 'id' | 'attempts' | 'leaseEndsAt'> {
  readonly expiresAt: Date;
  /** True if a device with its logical number may use the service. */
  readonly isReachable: boolean;
}

/** A terminal that may use the service and has a logical number. */
export interface Receiver {
  readonly id: number;
  readonly serialNumber: string;
  readonly logicalNumberId: number;
}

/** Confirmation by a terminal: over HTTP with its serial number, over MQTT with its logical number. */
export type Confirmation = { readonly event: string } & (Receiver | { readonly logicalNumber: string });

/** `unknown`: this delivery was not given to the terminal. */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown';
