import type { Units } from '../../../../database/work.js';
import { SECOND, type Clock } from '../../../../platform/clock.js';
import { CompanyNotes } from '../../../../platform/concurrency/company-notes.js';
import { MAX_UNKNOWN_TERMINALS } from './unknown-terminal.model.js';
import {
  addUnknownTerminalSightings,
  trimUnknownTerminals,
  type UnknownTerminalSightings,
} from './unknown-terminal.repository.js';

const TIMES = { soonMs: SECOND / 4, intervalMs: 10 * SECOND };

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
      ...{ onError, clock, times: TIMES },
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
