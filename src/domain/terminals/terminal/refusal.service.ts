import type { CompanyWriteWork, Units, WriteWork } from '../../../database/work.js';
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

/** Maximum devices for which a node remembers the time of the last noted refusal. */
const MAX_DEVICES = 50_000;
const REFUSAL_TIMES = { soonMs: SECOND / 4, intervalMs: SECOND };

type Refused = Map<DeviceRefusalCode, number[]>;

/** Stores the latest refusal of devices: those of one second in one unit of work for each company. */
class RefusedDevices {
  readonly #notes: CompanyNotes<Refused>;
  /** Time of the last noted refusal, by `company/device`. */
  readonly #notedAt = new Map<string, number>();

  /** `everyMs` is the minimum time between two stored refusals of a device, over all nodes. */
  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
    private readonly everyMs: number,
  ) {
    this.#notes = new CompanyNotes({
      ...{ onError, clock, times: REFUSAL_TIMES },
      create: () => new Map() as Refused,
      store: (companyId, refused) =>
        units.writeWithoutLedger(companyId, (work) => this.#storeIn(work, refused)),
    });
  }

  note(companyId: number, deviceId: number, code: DeviceRefusalCode): void {
    const key = `${companyId}/${deviceId}`;
    const now = this.clock.elapsed();
    if (now - (this.#notedAt.get(key) ?? -Infinity) < this.everyMs) return;
    // The database compares the times again, for cleared entries and refusals stored by other nodes.
    if (this.#notedAt.size >= MAX_DEVICES) this.#notedAt.clear();
    this.#notedAt.set(key, now);
    const refused = this.#notes.of(companyId);
    const devices = refused.get(code) ?? [];
    refused.set(code, devices);
    devices.push(deviceId);
  }

  finish(): Promise<void> {
    return this.#notes.finish();
  }

  async #storeIn(work: CompanyWriteWork, refused: Refused): Promise<void> {
    // One second less, because a noted refusal waits for up to a second.
    const unlessSince = new Date(work.now.getTime() - this.everyMs + SECOND);
    for (const [code, deviceIds] of refused) await storeRefusals(work, { code, deviceIds, unlessSince });
  }
}

const UNKNOWN_TIMES = { soonMs: SECOND / 4, intervalMs: 10 * SECOND };

/** Sightings by serial number; the latest seen is last. */
type SightingsBySerialNumber = Map<string, UnknownTerminalSightings>;

/**
 * Stores which unknown serial numbers gateways name. However many these are, a node has
 * `MAX_UNKNOWN_TERMINALS` of each company in memory, and writes as many rows every ten seconds at most.
 */
export class UnknownSerialNumbers {
  readonly #notes: CompanyNotes<SightingsBySerialNumber>;

  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#notes = new CompanyNotes({
      ...{ onError, clock, times: UNKNOWN_TIMES },
      create: () => new Map() as SightingsBySerialNumber,
      store: (companyId, sightings) =>
        units.writeWithoutLedger(companyId, async (work) => {
          await addUnknownTerminalSightings(work, [...sightings.values()]);
          await trimUnknownTerminals(work, { added: sightings.size, keep: MAX_UNKNOWN_TERMINALS });
        }),
    });
  }

  note(companyId: number, serialNumber: string): void {
    const now = this.clock.now();
    const sightings = this.#notes.of(companyId);
    const { firstAt = now, count = 0 } = sightings.get(serialNumber) ?? {};
    sightings.delete(serialNumber);
    const [oldest] = sightings.keys();
    if (sightings.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) sightings.delete(oldest);
    sightings.set(serialNumber, { serialNumber, firstAt, lastAt: now, count: count + 1 });
  }

  finish(): Promise<void> {
    return this.#notes.finish();
  }
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
