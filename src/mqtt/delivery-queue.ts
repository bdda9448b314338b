import type { TerminalName } from './topics.js';

/** A message for a terminal that this process holds for a while. */
export interface HeldDelivery extends TerminalName {
  /** For example `17|SHOW_MESSAGE|Hello|03-01-2026 09:00`. */
  readonly message: string;
  /** Asset name of the app that handles it; null if none does. */
  readonly app: string | null;
}

/** What a terminal confirmed, on its topic: the id of the message; null for a hello. */
export interface Confirmation extends TerminalName {
  readonly event: string | null;
}

/** What became of a confirmation. `unknown`: the terminal, if it may use the service, was given no such message. */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown' | 'hello';

/** The messages of all companies, as the publisher sees them. `D` is what it holds of one. */
export interface DeliveryQueue<D extends HeldDelivery> {
  /** The next company, by turns, that has messages to take; null if none has. */
  nextCompany(after: number): Promise<number | null>;
  /** Takes up to `limit` messages of the company, at most one of each terminal. */
  claim(companyId: number, limit: number): Promise<readonly D[]>;
  /** The broker has these messages of the company. */
  sent(companyId: number, deliveries: readonly D[]): Promise<void>;
  /** The broker did not get these, or it is not known whether it did. */
  giveBack(companyId: number, deliveries: readonly D[]): Promise<void>;
  /** Resolves to the results, in the same order. */
  confirm(companyId: number, confirmations: readonly Confirmation[]): Promise<readonly ConfirmationResult[]>;
}
