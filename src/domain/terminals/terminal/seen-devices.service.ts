import type { Units } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { CompanyNotes } from '../../../platform/concurrency/company-notes.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { SeenDevice } from '../../fleet/device/device.model.js';
import { storeSightings } from '../../fleet/device/device.service.js';

/** Devices of which a node knows when they were last seen; some 40 MB. */
const MAX_DEVICES = 200_000;
/** Devices stored in one unit of work: takes 5 to 10 ms on SQLite, while other writes wait. */
const ROWS_PER_UNIT = 250;
/** Devices examined per turn of the event loop: takes less than 5 ms. */
const IDS_PER_TURN = 2_000;
const TIMES = { soonMs: SECOND / 4, intervalMs: 5 * SECOND };

interface Seen {
  /** Time at which the device was seen, by the wall clock of this node. */
  at: number;
  /** Time from which the device may be stored again, by `elapsed`. */
  dueAt: number;
  /** Whether `at` is yet to be written. */
  isWaiting: boolean;
}

/**
 * Stores when terminals were last seen. Each node stores a device at most once a minute, and then the time of
 * its latest request, even if no other request follows. One statement stores many devices.
 */
export class SeenDevices {
  /** Devices that are waiting to be written, by company. */
  readonly #notes: CompanyNotes<Set<number>>;
  /** Sightings to be stored, or stored in the last minute, by company and device; the latest is last. */
  readonly #seen = new Map<string, Seen>();
  #isFinishing = false;

  constructor(
    private readonly units: Units,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
    private readonly maxDevices = MAX_DEVICES,
  ) {
    this.#notes = new CompanyNotes({
      ...{ onError, clock, times: TIMES },
      create: () => new Set<number>(),
      store: (companyId, deviceIds) => this.#store(companyId, deviceIds),
    });
  }

  /** To be called for each request of an admitted terminal. `now` is the server's time. */
  note(companyId: number, deviceId: number, now: Date): void {
    const key = keyOf(companyId, deviceId);
    const seen = this.#seen.get(key) ?? this.#add(key);
    // May be earlier than before: the clock may have been corrected.
    seen.at = now.getTime();
    if (seen.isWaiting) return;
    seen.isWaiting = true;
    this.#notes.of(companyId).add(deviceId);
  }

  /** Stores all that was noted. To be called when no request is running any more. Never rejects. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#notes.finish();
  }

  async #store(companyId: number, deviceIds: ReadonlySet<number>): Promise<void> {
    this.#forgetOld();
    let part: SeenDevice[] = [];
    let looked = 0;
    for (const deviceId of deviceIds) {
      if ((looked += 1) % IDS_PER_TURN === 0) await yieldToEventLoop();
      part.push(...this.#taken(companyId, deviceId));
      if (part.length < ROWS_PER_UNIT) continue;
      await this.#write(companyId, part);
      part = [];
    }
    if (part.length > 0) await this.#write(companyId, part);
  }

  /** The device, if it is to be written now: it was not in the last minute. Otherwise it waits on. */
  #taken(companyId: number, deviceId: number): readonly SeenDevice[] {
    const key = keyOf(companyId, deviceId);
    const seen = this.#seen.get(key);
    if (seen === undefined) return [];
    const now = this.clock.elapsed();
    if (seen.dueAt > now && !this.#isFinishing) {
      this.#notes.of(companyId).add(deviceId);
      return [];
    }
    this.#seen.delete(key);
    this.#seen.set(key, { at: seen.at, dueAt: now + MINUTE, isWaiting: false });
    return [{ deviceId, seenAt: seen.at }];
  }

  async #write(companyId: number, part: readonly SeenDevice[]): Promise<void> {
    const stored = this.units.writeWithoutLedger(companyId, (work) => storeSightings(work, part));
    await stored.catch((error: unknown) => this.#failed(companyId, part, error));
  }

  /** Times are written a minute later, unless the server ends. */
  #failed(companyId: number, part: readonly SeenDevice[], error: unknown): void {
    this.onError(error);
    if (this.#isFinishing) return;
    for (const { deviceId, seenAt } of part) {
      const isSeenAgain = this.#seen.get(keyOf(companyId, deviceId))?.isWaiting === true;
      if (!isSeenAgain) this.note(companyId, deviceId, new Date(seenAt));
    }
  }

  /** Forgets devices that were written more than a minute ago and not seen since. */
  #forgetOld(): void {
    const now = this.clock.elapsed();
    let forgotten = 0;
    for (const [key, { isWaiting, dueAt }] of this.#seen) {
      if (isWaiting || dueAt > now || (forgotten += 1) > IDS_PER_TURN) return;
      this.#seen.delete(key);
    }
  }

  #add(key: string): Seen {
    const [oldest = ''] = this.#seen.keys();
    // If its time is not written yet, it is noted again with its next request.
    if (this.#seen.size >= this.maxDevices) this.#seen.delete(oldest);
    const seen = { at: 0, dueAt: -Infinity, isWaiting: false };
    this.#seen.set(key, seen);
    return seen;
  }
}

const keyOf = (companyId: number, deviceId: number): string => `${companyId}/${deviceId}`;
