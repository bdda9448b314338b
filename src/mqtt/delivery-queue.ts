import { levelOf } from '../platform/terminal.js';

/** A message for a terminal, leased by this process. */
export interface HeldDelivery extends TerminalName {
  /** For example `17|SHOW_MESSAGE|Hello|03-01-2026 09:00`. */
  readonly message: string;
  /** Asset name of the app that handles the message; null if no app does. */
  readonly app: string | null;
  /** Its id and its end, if it is a command: the terminal must not do it after that. */
  readonly command?: { readonly id: number; readonly expiresAt: Date };
}

/** A confirmation on a terminal's topic. `event` is the id of the message; null for a hello and a report. */
export interface Confirmation extends TerminalName {
  readonly event: string | null;
  /** Report of an installation; absent for all else. */
  readonly install?: object;
}

/** `unknown`: the terminal did not get such a message or asset, or may not use the service. */
export type ConfirmationResult = 'confirmed' | 'repeated' | 'unknown' | 'hello' | 'installed';

/** Messages of all companies, as the publisher uses them. `D` is a delivery with fields of the queue. */
export interface DeliveryQueue<D extends HeldDelivery> {
  /** Id of the next company with messages to send, round-robin; null if there is none. */
  nextCompany(after: number): Promise<number | null>;
  /** Leases up to `limit` messages of the company, at most one per terminal. */
  claim(companyId: number, limit: number): Promise<readonly D[]>;
  /** Marks messages of the company as acknowledged by the broker. */
  sent(companyId: number, deliveries: readonly D[]): Promise<void>;
  /** Releases messages that the broker did not acknowledge; it may still have received them. */
  releaseDeliveries(companyId: number, deliveries: readonly D[]): Promise<void>;
  /** Stores confirmations. Resolves to their results, in the same order. */
  confirm(companyId: number, confirmations: readonly Confirmation[]): Promise<readonly ConfirmationResult[]>;
}

/** `ignored`: malformed, too large or on a foreign topic; `dropped`: too many waited; `failed`: could not be stored. */
export type ConfirmationOutcome = ConfirmationResult | 'ignored' | 'dropped' | 'failed';

/** The filter of the topics on which terminals confirm. */
export const CONFIRM_FILTER = 'terminals/+/+/confirm';

export interface TerminalName {
  readonly companyId: number;
  readonly logicalNumber: string;
}

const CONFIRM_TOPIC = /^terminals\/([1-9][0-9]{0,15})\/([^/]+)\/confirm$/;

/** For example `terminals/7/0042/notifications`. */
export function notificationTopic({ companyId, logicalNumber }: TerminalName): string {
  return `terminals/${companyId}/${levelOf(logicalNumber)}/notifications`;
}

/** The terminal that may publish on the topic; null for any other topic, also for another spelling of such a topic. */
export function terminalOfConfirmTopic(topic: string): TerminalName | null {
  const [, company = '', level = ''] = CONFIRM_TOPIC.exec(topic) ?? [];
  const companyId = Number(company);
  const logicalNumber = decoded(level);
  if (!Number.isSafeInteger(companyId) || logicalNumber === null || levelOf(logicalNumber) !== level) {
    return null;
  }
  return { companyId, logicalNumber };
}

/** Null for an empty text, and for one that is not percent-encoded UTF-8. */
function decoded(level: string): string | null {
  try {
    const text = decodeURIComponent(level);
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
