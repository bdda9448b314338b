import type { Units, WriteWork } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import { SECOND, type Clock } from '../../platform/clock.js';
import { SparseRuns } from '../../platform/concurrency/sparse-runs.js';
import type { DeviceRefusalCode } from '../../platform/terminal.js';
import { storeRefusals } from './terminal-refusal.repository.js';

/** Devices of which a node knows when it noted their last refusal. */
const MAX_DEVICES = 50_000;
const TIMES = { soonMs: SECOND / 4, intervalMs: SECOND };

interface RefusedInCompany {
  /** Of the first refusal: the unit of work that stores them is in its company. */
  readonly caller: Caller;
  readonly devices: Map<DeviceRefusalCode, number[]>;
}

/** Stores the last refusal of devices: those of a second in one unit of work for each company. */
export class RefusedDevices {
  readonly #runs: SparseRuns;
  /** By company and device. */
  readonly #notedAt = new Map<string, number>();
  /** By company. */
  #waiting = new Map<number, RefusedInCompany>();

  /** The refusal of a device is written every `everyMs` at most, by all nodes together. */
  constructor(
    private readonly units: Units,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
    private readonly everyMs: number,
  ) {
    this.#runs = new SparseRuns(() => this.#store(), TIMES, clock);
  }

  note(caller: Caller, deviceId: number, code: DeviceRefusalCode): void {
    const { companyId } = caller;
    const key = `${companyId}/${deviceId}`;
    const now = this.clock.elapsed();
    if (now - (this.#notedAt.get(key) ?? -Infinity) < this.everyMs) return;
    // What is forgotten here, and what other nodes wrote, is compared again in the database.
    if (this.#notedAt.size >= MAX_DEVICES) this.#notedAt.clear();
    this.#notedAt.set(key, now);
    const waiting = this.#waiting.get(companyId) ?? {
      caller,
      devices: new Map<DeviceRefusalCode, number[]>(),
    };
    this.#waiting.set(companyId, waiting);
    const devices = waiting.devices.get(code) ?? [];
    waiting.devices.set(code, devices);
    devices.push(deviceId);
    this.#runs.request();
  }

  finish(): Promise<void> {
    return this.#runs.finish();
  }

  async #store(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const { caller, devices } of all.values()) {
      await this.units.write(caller, (work) => this.#storeIn(work, devices)).catch(this.onError);
    }
  }

  async #storeIn(work: WriteWork, devices: RefusedInCompany['devices']): Promise<void> {
    // A second less: what was noted waits for up to a second.
    const unlessSince = new Date(work.now.getTime() - this.everyMs + SECOND);
    for (const [code, deviceIds] of devices) await storeRefusals(work, { code, deviceIds, unlessSince });
  }
}
