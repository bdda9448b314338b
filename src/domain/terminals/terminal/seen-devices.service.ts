import type { Units } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { CompanyNotes } from '../../../platform/concurrency/company-notes.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { SeenDevice } from '../../fleet/device/device.model.js';
import { storeSightings } from '../../fleet/device/device.service.js';

/** Devices of which a node keeps the times: of each company those to be stored, and those stored lately; some 40 MB. */
const MAX_DEVICES = 200_000;
/** Devices stored in one unit of work: takes 5 to 10 ms on SQLite, while other writes wait. */
const ROWS_PER_UNIT = 250;
/** Devices examined per turn of the event loop: takes less than 5 ms. */
const IDS_PER_TURN = 2_000;
const TIMES = { soonMs: SECOND / 4, intervalMs: 5 * SECOND };

/**
 * Stores when terminals were last seen. Each node stores a device at most once a minute, and then the time of
 * its latest request, even if no other request follows. One statement stores many devices.
 */
export class SeenDevices {
  /** Times to be stored, by device, in milliseconds since 1970. */
  readonly #notes: CompanyNotes<Map<number, number>>;
  /** When devices were stored in the last minute, by company and device, in `elapsed`; the latest is last. */
  readonly #storedAt = new Map<string, number>();
  #isFinishing = false;

  constructor(
    private readonly units: Units,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
    private readonly maxDevices = MAX_DEVICES,
  ) {
    this.#notes = new CompanyNotes({
      onError,
      clock,
      times: TIMES,
      create: () => new Map<number, number>(),
      store: (companyId, seen) => this.#store(companyId, seen),
    });
  }

  /** To be called for each request of an admitted terminal. `now` is the server's time. */
  note(companyId: number, deviceId: number, now: Date): void {
    const seen = this.#notes.of(companyId);
    // Without room, the oldest one is noted again with its next request.
    if (!seen.has(deviceId)) makeRoom(seen, this.maxDevices);
    // May be earlier than before: the clock may have been corrected.
    seen.set(deviceId, now.getTime());
  }

  /** Stores all that was noted. To be called when no request is running any more. Never rejects. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#notes.finish();
  }

  async #store(companyId: number, seen: ReadonlyMap<number, number>): Promise<void> {
    this.#forgetOld();
    let part: SeenDevice[] = [];
    let looked = 0;
    for (const [deviceId, seenAt] of seen) {
      if ((looked += 1) % IDS_PER_TURN === 0) await yieldToEventLoop();
      if (this.#isDue(`${companyId}/${deviceId}`)) part.push({ deviceId, seenAt });
      else this.#noteAgain(companyId, { deviceId, seenAt });
      if (part.length < ROWS_PER_UNIT) continue;
      await this.#write(companyId, part);
      part = [];
    }
    if (part.length > 0) await this.#write(companyId, part);
  }

  /** Whether the device is to be stored now, since it was not in the last minute. */
  #isDue(key: string): boolean {
    const now = this.clock.elapsed();
    const storedAt = this.#storedAt.get(key) ?? -Infinity;
    if (now < storedAt + MINUTE && !this.#isFinishing) return false;
    this.#storedAt.delete(key);
    makeRoom(this.#storedAt, this.maxDevices);
    this.#storedAt.set(key, now);
    return true;
  }

  /** After an error, times are written a minute later, unless the server ends. */
  async #write(companyId: number, part: readonly SeenDevice[]): Promise<void> {
    try {
      await this.units.writeWithoutLedger(companyId, (work) => storeSightings(work, part));
    } catch (error) {
      this.onError(error);
      if (!this.#isFinishing) for (const device of part) this.#noteAgain(companyId, device);
    }
  }

  /** Notes a time, unless the device was seen since. */
  #noteAgain(companyId: number, { deviceId, seenAt }: SeenDevice): void {
    const seen = this.#notes.of(companyId);
    if (!seen.has(deviceId)) seen.set(deviceId, seenAt);
  }

  #forgetOld(): void {
    const before = this.clock.elapsed() - MINUTE;
    let forgotten = 0;
    for (const [key, storedAt] of this.#storedAt) {
      if (storedAt > before || (forgotten += 1) > IDS_PER_TURN) return;
      this.#storedAt.delete(key);
    }
  }
}

/** Deletes the first entry of a full map. */
function makeRoom<Key>(map: Map<Key, number>, most: number): void {
  const [first] = map.keys();
  if (map.size >= most && first !== undefined) map.delete(first);
}
