import type { TerminalName } from './topics.js';

/** A message for a terminal that this process holds for a while. */
export interface HeldDelivery extends TerminalName {
  /** The payload, for example `{"message":"17|SHOW_MESSAGE|Hello"}`. */
  readonly payload: string;
}

/** What a terminal confirmed: the id of the message, on the topic of the terminal. */
export interface Confirmation extends TerminalName {
  readonly event: string;
}

/**
 * What became of a confirmation: `confirmed`; `repeated` if that was known before; `unknown` if the terminal has no such
 * message; `refused` if the terminal may not use the service.
 */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown' | 'refused';

/** The messages of all companies, as the publisher sees them. `D` is what it holds of one. */
export interface DeliveryQueue<D extends HeldDelivery> {
  /** Takes up to `limit` messages, the next one of each terminal. */
  claim(limit: number): Promise<readonly D[]>;
  /** The broker has these. */
  sent(deliveries: readonly D[]): Promise<void>;
  /** The broker did not get these, or nobody knows whether it did. */
  giveBack(deliveries: readonly D[]): Promise<void>;
  /** Confirmations of terminals of one company; resolves to their results, in the same order. */
  confirm(companyId: number, confirmations: readonly Confirmation[]): Promise<readonly ConfirmationResult[]>;
}
