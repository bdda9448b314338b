import type { Clock } from '../platform/clock.js';
import type { BrokenPromises } from './figures/broken-promises.js';
import type { Figures } from './figures/figures.js';
import type { HttpClient } from './http/client.js';
import type { BrokerOptions } from './mqtt/connection.js';
import type { SentNotifications } from './notifications/sent.js';
import type { Pauses } from './pauses.js';

/** How terminals wait for notifications; over HTTP, each terminal chooses one of two ways. */
export type Transport =
  | { readonly over: 'http' }
  | { readonly over: 'mqtt'; readonly broker: BrokerOptions; readonly companyId: string };

/** What all terminals of a run share. */
export interface Shared {
  readonly client: HttpClient;
  readonly figures: Figures;
  readonly broken: BrokenPromises;
  readonly sent: SentNotifications;
  readonly clock: Clock;
  /** Hexadecimal digits that no other run has: part of references and messages. */
  readonly run: string;
  /** Ends with the activities of terminals: from then on they only wait and confirm. */
  readonly work: Pauses;
  /** Ends with the run. */
  readonly all: Pauses;
  readonly transport: Transport;
  /** Whether connections and answers are lost now and then, and confirmations repeated or late. */
  readonly hasFaults: boolean;
  /** About how often a terminal does something, in milliseconds; 0 if it only waits for notifications. */
  readonly everyMs: number;
}
