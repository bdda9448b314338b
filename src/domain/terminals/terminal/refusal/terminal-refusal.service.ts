import type { ReadWork, Units } from '../../../../database/work.js';
import { MINUTE, type Clock } from '../../../../platform/clock.js';
import type { TerminalClaim, TerminalRefused } from '../../../../platform/terminal.js';
import type { Device } from '../../../fleet/device/device.model.js';
import type { TerminalRefusal } from '../terminal.model.js';
import { UnknownSerialNumbers } from '../unknown/unknown-terminal.service.js';
import { RefusedDevices } from './refused-devices.service.js';
import { selectRefusals } from './terminal-refusal.repository.js';

/** The last refusal of each device, by its id. One statement. */
export async function lastRefusals(
  work: ReadWork,
  devices: readonly Pick<Device, 'id'>[],
): Promise<ReadonlyMap<number, TerminalRefusal>> {
  return await selectRefusals(
    work,
    devices.map(({ id }) => id),
  );
}

/** Stores why terminals were refused, in the background and seldom: refused terminals ask again and again. */
export interface RefusalLog {
  note(claim: TerminalClaim, refused: TerminalRefused): void;
  /** Stores what was noted. Never rejects. */
  finish(): Promise<void>;
}

export function createRefusalLog(units: Units, clock: Clock, onError: (error: unknown) => void): RefusalLog {
  const devices = new RefusedDevices(units, clock, onError, MINUTE);
  const unknown = new UnknownSerialNumbers(units, clock, onError);
  return {
    note: ({ caller, serialNumber, deviceId }, { reason }) => {
      const { companyId } = caller;
      if ('deviceId' in reason) devices.note(companyId, reason.deviceId, reason.code);
      else if (deviceId === null) unknown.note(companyId, serialNumber);
    },
    finish: async () => {
      await Promise.all([devices.finish(), unknown.finish()]);
    },
  };
}
