import type { CompanyWriteWork, Units } from '../../../../database/work.js';
import { SECOND, type Clock } from '../../../../platform/clock.js';
import { CompanyNotes } from '../../../../platform/concurrency/company-notes.js';
import type { DeviceRefusalCode } from '../../../../platform/terminal.js';
import { storeRefusals } from './terminal-refusal.repository.js';

/** Maximum devices for which a node remembers the time of the last noted refusal. */
const MAX_DEVICES = 50_000;
const TIMES = { soonMs: SECOND / 4, intervalMs: SECOND };

type Refused = Map<DeviceRefusalCode, number[]>;

/** Stores the latest refusal of devices: those of one second in one unit of work for each company. */
export class RefusedDevices {
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
