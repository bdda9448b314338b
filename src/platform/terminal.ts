import { z } from 'zod';

import type { Caller } from './caller.js';
import { HOUR, MINUTE } from './clock.js';

/** Reason why the terminal of a known device may not use the service. */
export type DeviceRefusalCode = Exclude<RefusalCode, 'unknown_terminal'>;
/** Reasons why a terminal may not use the service. `unknown_terminal`: no device has its serial number. */
export const REFUSAL_CODES = ['unknown_terminal', 'terminal_disabled', 'terminal_unassigned'] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A terminal that a token acts for. Each unit of work checks whether the terminal may use the service. */
export interface TerminalClaim {
  readonly caller: Caller;
  readonly serialNumber: string;
  /** Device that the token belongs to; null for a gateway token, which may name any terminal of its company. */
  readonly deviceId: number | null;
}

/** A terminal that may not use the service. */
export class TerminalRefused extends Error {
  override readonly name = 'TerminalRefused';

  constructor(
    message: string,
    /** The refusal, with the id of the device if the company has it. */
    readonly reason:
      | { readonly code: 'unknown_terminal' }
      | { readonly code: DeviceRefusalCode; readonly deviceId: number },
  ) {
    super(message);
  }

  get code(): RefusalCode {
    return this.reason.code;
  }
}

/** Message that confirms a notification, sent by a terminal over HTTP or MQTT. */
export const NotificationConfirm = z.object({
  type: z.literal('pnconf', { error: 'must be pnconf' }),
  event: z.union([z.string(), z.int().transform(String)], { error: 'must be the id of a notification' }),
});

/** Milliseconds without a request after which a terminal counts as stale, and then as offline. */
export interface PresenceLimits {
  readonly staleMs: number;
  /** Greater than `staleMs`. */
  readonly offlineMs: number;
}

export const PRESENCE_LIMITS: PresenceLimits = { staleMs: 15 * MINUTE, offlineMs: 24 * HOUR };
