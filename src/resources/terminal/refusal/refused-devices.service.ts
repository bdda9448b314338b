import type { CompanyWriteWork, Units } from '../../../database/work.js';
import { SECOND, type Clock } from '../../../platform/clock.js';
import { CompanyNotes } from '../../../platform/concurrency/company-notes.js';
import type { DeviceRefusalCode } from '../../../platform/terminal.js';
import { storeRefusals } from './terminal-refusal.repository.js';

/** Devices of which a node knows when it noted their last refusal. */
const MAX_DEVICES = 50_000;
const TIMES = { soonMs: SECOND / 4, intervalMs: SECOND };

type Refused = Map<DeviceRefusalCode, number[]>;

/** Stores the last refusal of devices: those of a second in one unit of work for each company. */
export class RefusedDevices {
  readonly #notes: CompanyNotes<Refused>;
  /** By company and device. */
  readonly #notedAt = new Map<string, number>();

  /** The refusal of a device is written every `everyMs` at most, by all nodes together. */
  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
    private readonly everyMs: number,
  ) {
    this.#notes = new CompanyNotes({
      ...{ onError, clock, times: TIMES },
      create: () => new Map() as Refused,
      store: (companyId, refused) =>
        units.writeWithoutLedger(companyId, (work) => this.#storeIn(work, refused)),
    });
  }

  note(companyId: number, deviceId: number, code: DeviceRefusalCode): void {
    const key = `${companyId}/${deviceId}`;
    const now = this.clock.elapsed();
    if (now - (this.#notedAt.get(key) ?? -Infinity) < this.everyMs) return;
    // What is forgotten here, and what other nodes wrote, is compared again in the database.
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
    // A second less: what was noted waits for up to a second.
    const unlessSince = new Date(work.now.getTime() - this.everyMs + SECOND);
    for (const [code, deviceIds] of refused) await storeRefusals(work, { code, deviceIds, unlessSince });
  }
}
