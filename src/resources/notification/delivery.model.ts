import { DAY, HOUR, SECOND } from '../../platform/clock.js';

export const DELIVERY_STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
/** States that a delivery keeps; only a failed one can be queued again. */
export type FinishedState = Exclude<DeliveryState, 'queued' | 'sent'>;

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
  /** For example `17|SHOW_MESSAGE|Closed on Sunday`. */
  readonly message: string;
  readonly queuedAt: Date;
  /** Also names the claim: after another one, the methods that end this claim change nothing. */
  readonly leaseEndsAt: Date;
}

/** A delivery that a terminal has confirmed. The terminal is named by its logical number or by the id of that. */
export type Confirmation = { readonly event: string } & (
  | { readonly logicalNumberId: number }
  | { readonly logicalNumber: string }
);

/** `unknown`: the terminal was given no such delivery. */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown';
