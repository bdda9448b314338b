import type { ConfirmationResult } from './delivery-queue.js';

/** `ignored`: malformed, too large or on a foreign topic; `dropped`: too many waited; `failed`: could not be stored. */
export type ConfirmationOutcome = ConfirmationResult | 'ignored' | 'dropped' | 'failed';

/** Counts what the publisher does, from the start of the process. */
export class MqttFigures {
  published = 0;
  acknowledged = 0;
  /** Messages that were given back, since the broker did not acknowledge them. */
  returned = 0;
  /** Messages that the broker has yet to acknowledge. */
  inFlight = 0;
  readonly confirmations = new Map<ConfirmationOutcome, number>();

  confirmed(outcome: ConfirmationOutcome, count = 1): void {
    this.confirmations.set(outcome, (this.confirmations.get(outcome) ?? 0) + count);
  }
}
