import { DAY, HOUR, SECOND } from '../../../platform/clock.js';

export const DELIVERY_STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
/** States that a delivery keeps; only a failed one can be queued again. */
export type FinishedState = Exclude<DeliveryState, 'queued' | 'sent'>;

export interface Delivery {
  readonly id: number;
  readonly notificationId: number;
  readonly logicalNumberId: number;
  readonly state: DeliveryState;
  readonly queuedAt: Date;
  /** When it was first handed to a connection or a broker. */
  readonly sentAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** When a terminal first confirmed it, also after it has ended in another way. */
  readonly confirmedAt: Date | null;
}

/** The last change of a delivery; the id is its position among the changes of the company. */
export interface DeliveryChange {
  readonly id: number;
  readonly delivery: Delivery;
}

/** How many deliveries of a notification are in which state. */
export type DeliverySummary = Readonly<Record<DeliveryState, number>>;
export const NO_DELIVERIES: DeliverySummary = {
  ...{ queued: 0, sent: 0, delivered: 0, failed: 0, expired: 0, cancelled: 0 },
};

/** What `Units.onCommitted` reports for each company whose deliveries have changed. */
export const DELIVERY = 'notification_delivery';
/** The counter from which the positions of changes are drawn. */
export const DELIVERY_CHANGES = 'delivery_changes';

/** How long a worker or a connection holds a delivery that it was given. */
export const LEASE_MS = 30 * SECOND;
/** A delivery that was handed out so often without a confirmation fails. */
export const MAX_ATTEMPTS = 100;
/** A delivery that still waits after this time expires (contract 26). */
export const EXPIRES_MS = 7 * DAY;

/** How long a worker waits for the confirmation of an attempt before it pushes again: 30 s, and twice as long each time. */
export const PAUSES_MS: readonly number[] = [
  ...[30, 60, 120, 240, 480, 960, 1920, 3840].map((seconds) => seconds * SECOND),
  2 * HOUR,
];

/** A delivery that a worker or a connection holds until `leaseEndsAt`. */
export interface ClaimedDelivery {
  readonly companyId: number;
  /** Unique in its company; the same in all attempts. */
  readonly id: number;
  readonly logicalNumberId: number;
  readonly logicalNumber: string;
  /** For example `17|SHOW_MESSAGE|Closed on Sunday|03-01-2026 09:00`. */
  readonly message: string;
  /** Asset name of the app that handles it, for example `acme_sale.rb`; null if none does. */
  readonly app: string | null;
  readonly queuedAt: Date;
  /** Also names the claim: after another one, the methods that end this claim change nothing. */
  readonly leaseEndsAt: Date;
}

/** What is known of a waiting delivery before it is handed out. */
export interface WaitingDelivery {
  readonly id: number;
  readonly attempts: number;
  readonly queuedAt: Date;
  readonly leaseEndsAt: Date | null;
  /** Whether a device that may use the service works under its logical number. */
  readonly isReachable: boolean;
}

/** A terminal that may use the service and has a logical number. */
export interface Receiver {
  readonly serialNumber: string;
  readonly logicalNumberId: number;
}

/** A delivery that a terminal has confirmed: over HTTP with its serial number, over MQTT with the logical number of the topic. */
export type Confirmation = { readonly event: string } & (Receiver | { readonly logicalNumber: string });

/** `unknown`: the terminal was given no such delivery. */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown';
