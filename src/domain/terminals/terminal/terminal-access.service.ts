import type { ReadWork } from '../../../database/work.js';
import { normalized } from '../../../platform/encoding/text.js';
import { invalid } from '../../../platform/errors.js';
import { type TerminalClaim, TerminalRefused } from '../../../platform/terminal.js';
import type { Device } from '../../fleet/device/device.model.js';
import { findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import { logicalNumbers } from '../../fleet/logical-number/logical-number.service.js';

/** The device of a terminal that may use the service. */
export interface AdmittedDevice extends Device {
  readonly logicalNumberId: number;
}

/**
 * The one rule of access, for every request of a terminal: its serial number is that of a device of the
 * company, which is enabled and works under a logical number (decisions.md#terminal-access). By claim: the
 * device, or why its terminal may not use the service. One statement.
 */
export async function admitTerminals(
  work: ReadWork,
  claims: readonly TerminalClaim[],
): Promise<readonly (AdmittedDevice | TerminalRefused)[]> {
  const serialNumbers = new Set(claims.map(({ serialNumber }) => serialNumber));
  const devices = await findDevicesBySerialNumbers(work, [...serialNumbers]);
  return claims.map((claim) => admitted(devices.get(claim.serialNumber), claim));
}

function admitted(device: Device | undefined, { deviceId }: TerminalClaim): AdmittedDevice | TerminalRefused {
  // The device of the token may have been deleted a moment ago, and another one created with its serial
  // number.
  if (device === undefined || (deviceId !== null && deviceId !== device.id)) {
    return new TerminalRefused('No device has this serial number.', { code: 'unknown_terminal' });
  }
  const { id, enabled, logicalNumberId } = device;
  if (!enabled) {
    return new TerminalRefused('The device is disabled.', { code: 'terminal_disabled', deviceId: id });
  }
  if (logicalNumberId === null) {
    const reason = { code: 'terminal_unassigned', deviceId: id } as const;
    return new TerminalRefused('The device has no logical number.', reason);
  }
  return { ...device, logicalNumberId };
}

/**
 * Refuses what a terminal sends for another logical number than its own; `given` is what it names, undefined
 * if it names none. Errors: `invalid`.
 */
export async function demandOwnNumber(
  work: ReadWork,
  { logicalNumberId }: AdmittedDevice,
  given: string | undefined,
): Promise<void> {
  if (given === undefined) return;
  const number = (await logicalNumbers.byIds(work, [logicalNumberId])).get(logicalNumberId)?.number;
  if (normalized(given) === number) return;
  throw invalid(
    'logicalNumber',
    `foreign_logical_number: must be ${number}, which the terminal has, or absent`,
  );
}
