import type { DeviceRefusalCode } from '../../../platform/terminal.js';

/** A token that was just issued for a device. */
export interface IssuedToken {
  readonly deviceId: number;
  readonly serialNumber: string;
  /** The text of the token, which is not stored and cannot be read again. */
  readonly secret: string;
}

/** The last time that the terminal of a device was refused. */
export interface TerminalRefusal {
  readonly code: DeviceRefusalCode;
  readonly at: Date;
}

/** Maximum unknown serial numbers of one company. A new one replaces the one seen longest ago. */
export const MAX_UNKNOWN_TERMINALS = 1_000;

/** A serial number of no device of the company that a gateway named. */
export interface UnknownTerminal {
  readonly id: number;
  readonly serialNumber: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** Number of requests. */
  readonly count: number;
}
