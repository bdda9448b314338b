import { z } from 'zod';

import type { Caller } from './caller.js';

/** Why the terminal of a device may not use the service. */
export type DeviceRefusalCode = Exclude<RefusalCode, 'unknown_terminal'>;
/** The same, also for a serial number of no device. */
export const REFUSAL_CODES = ['unknown_terminal', 'terminal_disabled', 'terminal_unassigned'] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A terminal that a token speaks for. Whether it may use the service is decided in each unit of work. */
export interface TerminalClaim {
  readonly caller: Caller;
  readonly serialNumber: string;
  /** The device whose token it is; null for a gateway token, which may name any terminal of its company. */
  readonly deviceId: number | null;
}

/** A terminal that may not use the service. */
export class TerminalRefused extends Error {
  override readonly name = 'TerminalRefused';

  constructor(
    message: string,
    /** Why; with the id of the device, if the company has it. */
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

/** What a terminal sends to confirm a notification, over HTTP and MQTT. */
export const NotificationConfirm = z.object({
  type: z.literal('pnconf', { error: 'must be pnconf' }),
  event: z.union([z.string(), z.int().transform(String)], { error: 'must be the id of a notification' }),
});
