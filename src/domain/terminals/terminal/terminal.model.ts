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
