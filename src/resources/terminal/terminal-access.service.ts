import type { ReadWork } from '../../database/work.js';
import { TerminalRefused, type TerminalClaim } from '../../platform/terminal.js';
import type { Device } from '../device/device.model.js';
import { findDevicesBySerialNumbers } from '../device/device.service.js';

/** The device of a terminal that may use the service. */
export interface AdmittedDevice extends Device {
  readonly logicalNumberId: number;
}

/**
 * The one rule of access, for every request of a terminal: its serial number is that of a device of the company, which is
 * enabled and works under a logical number. Errors: `TerminalRefused`.
 */
export async function admitTerminal(
  work: ReadWork,
  { serialNumber, deviceId }: TerminalClaim,
): Promise<AdmittedDevice> {
  const device = (await findDevicesBySerialNumbers(work, [serialNumber])).get(serialNumber);
  // The device of the token may have been deleted a moment ago, and another one created with its serial number.
  if (device === undefined || (deviceId !== null && deviceId !== device.id)) {
    throw new TerminalRefused('No device has this serial number.', { code: 'unknown_terminal' });
  }
  const { id, enabled, logicalNumberId } = device;
  if (!enabled) {
    throw new TerminalRefused('The device is disabled.', { code: 'terminal_disabled', deviceId: id });
  }
  if (logicalNumberId === null) {
    const reason = { code: 'terminal_unassigned', deviceId: id } as const;
    throw new TerminalRefused('The device has no logical number.', reason);
  }
  return { ...device, logicalNumberId };
}
