import { z } from 'zod';

import { identifyingName } from './card-data/card-data.js';
import { HOUR, MINUTE } from './clock.js';
import type { TerminalRefused } from './errors.js';
import type { Caller } from './requests.js';
import { rule } from './rules.js';
import { freeText, printableName } from './validate.js';

/** A terminal that a token acts for. Each unit of work checks whether the terminal may use the service. */
export interface TerminalClaim {
  readonly caller: Caller;
  readonly serialNumber: string;
  /** Device that the token belongs to; null for a gateway token, which may name any terminal of its company. */
  readonly deviceId: number | null;
}

/** A terminal that may use the service, or why it may not. */
export type Admission<T> = { readonly terminal: T } | { readonly refused: TerminalRefused };

/** Message that confirms a notification, sent by a terminal over HTTP or MQTT. */
export const NotificationConfirm = z.object({
  type: z.literal('pnconf'),
  event: z.union([z.string(), z.int().transform(String)], rule('must be the id of a notification')),
});

/** Report of a terminal that it installed an asset, or could not, sent over HTTP or MQTT. */
export const InstallReport = z.object({
  name: printableName(512)
    .describe('Name of the asset in the manifest.')
    .meta({ examples: ['acme_sale.posxml'] }),
  crc: z
    .string()
    .regex(/^[0-9a-fA-F]{4}$/, rule('must be 4 hexadecimal digits'))
    .transform((crc) => crc.toUpperCase())
    .describe('CRC of the bytes that the report is about.'),
  result: z.enum(['installed', 'failed']),
  code: identifyingName(64)
    .nullish()
    .transform((code) => code ?? null)
    .describe('Why it failed, for example SIGNATURE.'),
  detail: freeText(500)
    .nullish()
    .transform((detail) => detail ?? null)
    .describe('More about the failure.'),
});

/** Milliseconds without a request after which a terminal counts as stale, and then as offline. */
export interface PresenceLimits {
  readonly staleMs: number;
  /** Greater than `staleMs`. */
  readonly offlineMs: number;
}

export const PRESENCE_LIMITS: PresenceLimits = { staleMs: 15 * MINUTE, offlineMs: 24 * HOUR };

/** A time, and the limits by which the presence of terminals at that time is computed. */
export interface Moment {
  readonly now: Date;
  readonly presence: PresenceLimits;
}

/** A fixed moment, for what is the same at all times. */
export const ANY_MOMENT: Moment = { now: new Date(0), presence: PRESENCE_LIMITS };

/** State of the connection to the MQTT broker, and counts since the start of the process. */
export class MqttStats {
  isConnected = false;
  /** Connections that were opened to the broker. */
  connections = 0;
  published = 0;
  acknowledged = 0;
  /** Messages that were given back, since the broker did not acknowledge them. */
  returned = 0;
  /** Messages that the broker has yet to acknowledge. */
  inFlight = 0;
  readonly confirmations = new Map<string, number>();

  confirmed(outcome: string): void {
    this.confirmations.set(outcome, (this.confirmations.get(outcome) ?? 0) + 1);
  }
}

/** A logical number as one level of a topic, percent-encoded (RFC 3986): `Loja%207%2FA` for `Loja 7/A`. */
export function levelOf(logicalNumber: string): string {
  return encodeURIComponent(logicalNumber).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
