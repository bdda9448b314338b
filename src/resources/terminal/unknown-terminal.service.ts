import type { Units } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import { SECOND, type Clock } from '../../platform/clock.js';
import { SparseRuns } from '../../platform/concurrency/sparse-runs.js';
import { MAX_UNKNOWN_TERMINALS } from './unknown-terminal.model.js';
import { addKnocks, trimUnknownTerminals, type Knocks } from './unknown-terminal.repository.js';

const TIMES = { soonMs: SECOND / 4, intervalMs: 10 * SECOND };

interface KnocksInCompany {
  /** Of the first request: the unit of work that stores them is in its company. */
  readonly caller: Caller;
  /** By serial number; the one that was seen last is the last. */
  readonly knocks: Map<string, Knocks>;
}

/**
 * Stores which unknown serial numbers gateways name. However many these are, a node has `MAX_UNKNOWN_TERMINALS` of each
 * company in memory, and writes as many rows every ten seconds at most.
 */
export class UnknownSerialNumbers {
  readonly #runs: SparseRuns;
  /** By company. */
  #waiting = new Map<number, KnocksInCompany>();

  constructor(
    private readonly units: Units,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#runs = new SparseRuns(() => this.#store(), TIMES, clock);
  }

  note(caller: Caller, serialNumber: string): void {
    const now = this.clock.now();
    const waiting = this.#waiting.get(caller.companyId) ?? { caller, knocks: new Map<string, Knocks>() };
    this.#waiting.set(caller.companyId, waiting);
    const { knocks } = waiting;
    const { firstAt = now, count = 0 } = knocks.get(serialNumber) ?? {};
    knocks.delete(serialNumber);
    const [oldest] = knocks.keys();
    if (knocks.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) knocks.delete(oldest);
    knocks.set(serialNumber, { serialNumber, firstAt, lastAt: now, count: count + 1 });
    this.#runs.request();
  }

  finish(): Promise<void> {
    return this.#runs.finish();
  }

  async #store(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const { caller, knocks } of all.values()) {
      const stored = this.units.write(caller, async (work) => {
        await addKnocks(work, [...knocks.values()]);
        await trimUnknownTerminals(work, { added: knocks.size, keep: MAX_UNKNOWN_TERMINALS });
      });
      await stored.catch(this.onError);
    }
  }
}
