import type { Units } from '../../../database/work.js';
import { SECOND, type Clock } from '../../../platform/clock.js';
import { CompanyNotes } from '../../../platform/concurrency/company-notes.js';
import { MAX_UNKNOWN_TERMINALS } from './unknown-terminal.model.js';
import { addKnocks, trimUnknownTerminals, type Knocks } from './unknown-terminal.repository.js';

const TIMES = { soonMs: SECOND / 4, intervalMs: 10 * SECOND };

/** By serial number; the one that was seen last is the last. */
type KnocksBySerialNumber = Map<string, Knocks>;

/**
 * Stores which unknown serial numbers gateways name. However many these are, a node has `MAX_UNKNOWN_TERMINALS` of each
 * company in memory, and writes as many rows every ten seconds at most.
 */
export class UnknownSerialNumbers {
  readonly #notes: CompanyNotes<KnocksBySerialNumber>;

  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#notes = new CompanyNotes({
      ...{ onError, clock, times: TIMES },
      create: () => new Map() as KnocksBySerialNumber,
      store: (companyId, knocks) =>
        units.note(companyId, async (work) => {
          await addKnocks(work, [...knocks.values()]);
          await trimUnknownTerminals(work, { added: knocks.size, keep: MAX_UNKNOWN_TERMINALS });
        }),
    });
  }

  note(companyId: number, serialNumber: string): void {
    const now = this.clock.now();
    const knocks = this.#notes.of(companyId);
    const { firstAt = now, count = 0 } = knocks.get(serialNumber) ?? {};
    knocks.delete(serialNumber);
    const [oldest] = knocks.keys();
    if (knocks.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) knocks.delete(oldest);
    knocks.set(serialNumber, { serialNumber, firstAt, lastAt: now, count: count + 1 });
  }

  finish(): Promise<void> {
    return this.#notes.finish();
  }
}
