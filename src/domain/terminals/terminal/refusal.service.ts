import type { Units, WriteWork } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { CompanyNotes } from '../../../platform/concurrency/company-notes.js';
import { normalized } from '../../../platform/encoding/text.js';
import { DomainError } from '../../../platform/errors.js';
import type { DeviceRefusalCode, TerminalClaim, TerminalRefused } from '../../../platform/terminal.js';
import type { Device } from '../../fleet/device/device.model.js';
import { createDevice } from '../../fleet/device/device.service.js';
import {
  addUnknownTerminalSightings,
  isUnknownTerminal,
  storeRefusals,
  trimUnknownTerminals,
  type UnknownTerminalSightings,
} from './refusal.repository.js';
import { MAX_UNKNOWN_TERMINALS } from './terminal.model.js';

export { lastRefusals, unknownTerminals } from './refusal.repository.js';

/** Stores why terminals were refused, in the background and seldom: refused terminals ask again and again. */
export interface RefusalLog {
  note(claim: TerminalClaim, refused: TerminalRefused): void;
  /** Stores what was noted. Never rejects. */
  finish(): Promise<void>;
}

type OnError = (error: unknown) => void;

export function createRefusalLog(units: Units, clock: Clock, onError: OnError): RefusalLog {
  const devices = refusedDevices(units, clock, onError);
  const unknown = unknownSerialNumbers(units, clock, onError);
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

/** Maximum devices for which a node remembers the time of the last noted refusal. */
const MAX_DEVICES = 50_000;
const REFUSAL_TIMES = { soonMs: SECOND / 4, intervalMs: SECOND };

/**
 * Stores the latest refusal of devices, once a minute over all nodes: those of one second in one unit of work for
 * each company.
 */
function refusedDevices(units: Units, clock: Clock, onError: OnError) {
  /** Time of the last noted refusal, by `company/device`. */
  const notedAt = new Map<string, number>();
  const notes = new CompanyNotes<Map<number, DeviceRefusalCode>>({
    onError,
    clock,
    times: REFUSAL_TIMES,
    create: () => new Map(),
    store: (companyId, refused) =>
      units.writeWithoutLedger(companyId, async (work) => {
        // One second less, because a noted refusal waits for up to a second.
        const unlessSince = new Date(work.now.getTime() - MINUTE + SECOND);
        for (const [code, entries] of Map.groupBy(refused, ([, given]) => given)) {
          const deviceIds = entries.map(([id]) => id);
          await storeRefusals(work, { code, deviceIds, unlessSince });
        }
      }),
  });
  return {
    note: (companyId: number, deviceId: number, code: DeviceRefusalCode): void => {
      const key = `${companyId}/${deviceId}`;
      const now = clock.elapsed();
      if (now - (notedAt.get(key) ?? -Infinity) < MINUTE) return;
      // The database compares the times again, for cleared entries and refusals stored by other nodes.
      if (notedAt.size >= MAX_DEVICES) notedAt.clear();
      notedAt.set(key, now);
      notes.of(companyId).set(deviceId, code);
    },
    finish: () => notes.finish(),
  };
}

const UNKNOWN_TIMES = { soonMs: SECOND / 4, intervalMs: 10 * SECOND };

/**
 * Stores which unknown serial numbers gateways name. However many these are, a node has
 * `MAX_UNKNOWN_TERMINALS` of each company in memory, and writes as many rows every ten seconds at most.
 */
export function unknownSerialNumbers(units: Units, clock: Clock, onError: OnError) {
  /** Sightings by serial number; the latest seen is last. */
  const notes = new CompanyNotes<Map<string, UnknownTerminalSightings>>({
    onError,
    clock,
    times: UNKNOWN_TIMES,
    create: () => new Map(),
    store: (companyId, sightings) =>
      units.writeWithoutLedger(companyId, async (work) => {
        await addUnknownTerminalSightings(work, [...sightings.values()]);
        await trimUnknownTerminals(work, { added: sightings.size, keep: MAX_UNKNOWN_TERMINALS });
      }),
  });
  return {
    note: (companyId: number, serialNumber: string): void => {
      const now = clock.now();
      const sightings = notes.of(companyId);
      const { firstSeenAt = now, count = 0 } = sightings.get(serialNumber) ?? {};
      sightings.delete(serialNumber);
      const [oldest] = sightings.keys();
      if (sightings.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) sightings.delete(oldest);
      sightings.set(serialNumber, { serialNumber, firstSeenAt, lastSeenAt: now, count: count + 1 });
    },
    finish: () => notes.finish(),
  };
}

/**
 * Creates the device of an unknown terminal and removes it from the list. Errors: `not_found` for a serial
 * number that is not in the list, and those of `createDevice`.
 */
export async function adoptTerminal(
  work: WriteWork,
  serialNumber: string,
  { logicalNumberId = null }: { readonly logicalNumberId?: unknown },
): Promise<Device> {
  const name = normalized(serialNumber);
  if (!(await isUnknownTerminal(work, name))) {
    const message = 'No unknown terminal has this serial number.';
    throw new DomainError('not_found', message, { fields: { serialNumber: [message] } });
  }
  return await createDevice(work, { serialNumber: name, logicalNumberId });
}
