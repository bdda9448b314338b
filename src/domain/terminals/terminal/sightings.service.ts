import type { CompanyWriteWork, ReadWork, Units, WriteWork } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND, yieldToEventLoop } from '../../../platform/clock.js';
import { DomainError, type DeviceRefusalCode, TerminalRefused } from '../../../platform/errors.js';
import type { TerminalClaim } from '../../../platform/terminal.js';
import { normalized } from '../../../platform/validate.js';
import type { Device, SeenDevice } from '../../fleet/device/device.model.js';
import { createDevice, storeSightings } from '../../fleet/device/device.service.js';
import { admitTerminals } from './access.service.js';
import {
  addUnknownTerminals,
  isUnknownTerminal,
  storeRefusals,
  trimUnknownTerminals,
  type UnknownTerminal,
} from './terminal.repository.js';

export {
  lastRefusals,
  type TerminalRefusal,
  type UnknownTerminal,
  unknownTerminals,
} from './terminal.repository.js';

type OnError = (error: unknown) => void;

/** Delay before notes are stored after a pause: notes close together are stored together. */
const SOON_MS = SECOND / 4;

interface NotesOptions<Key, Note> {
  readonly store: (companyId: number, notes: ReadonlyMap<Key, Note>) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Minimum time between the starts of two runs that store, in milliseconds. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** Notes about companies, stored in the background: one company after the other, and once in `intervalMs` at most. */
export class CompanyNotes<Key, Note> {
  #waiting = new Map<number, Map<Key, Note>>();
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #storing = Promise.resolve();

  constructor(private readonly options: NotesOptions<Key, Note>) {}

  /** The notes of a company that are stored next. Add to them synchronously. */
  of(companyId: number): Map<Key, Note> {
    const { intervalMs, clock } = this.options;
    const notes = this.#waiting.get(companyId) ?? new Map<Key, Note>();
    this.#waiting.set(companyId, notes);
    const waitMs = Math.max(SOON_MS, this.#last + intervalMs - clock.elapsed());
    this.#timer ??= setTimeout(() => void this.#store(), waitMs).unref();
    return notes;
  }

  /** Stores all pending notes. Never rejects. */
  async finish(): Promise<void> {
    if (this.#timer === undefined) await this.#storing;
    else await this.#store();
  }

  #store(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = this.options.clock.elapsed();
    this.#storing = this.#storing.then(() => this.#storeAll());
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const [companyId, notes] of all) {
      await this.options.store(companyId, notes).catch(this.options.onError);
    }
  }
}

/** Devices stored in one unit of work: takes 5 to 10 ms on SQLite, while other writes wait. */
const ROWS_PER_UNIT = 250;
/** Devices examined per turn of the event loop: takes less than 5 ms. */
const IDS_PER_TURN = 2_000;

/**
 * Stores when terminals were last seen. Each node stores a device at most once a minute, and then the time of
 * its latest request, even if no other request follows. One statement stores many devices.
 */
export class SeenDevices {
  /** Times to be stored, by device, in milliseconds since 1970. */
  readonly #notes: CompanyNotes<number, number>;
  /** When devices were stored in the last minute, by `company/device`, in `elapsed`; the latest is last. */
  readonly #storedAt = new Map<string, number>();
  #isFinishing = false;

  constructor(
    private readonly units: Units,
    private readonly clock: Clock,
    private readonly onError: OnError,
  ) {
    this.#notes = new CompanyNotes({
      onError,
      clock,
      intervalMs: 5 * SECOND,
      store: (companyId, seen) => this.#store(companyId, seen),
    });
  }

  /** Like `admitTerminals`, and notes that the admitted devices were seen. */
  readonly admit = async (work: ReadWork, claims: readonly TerminalClaim[]) => {
    const found = await admitTerminals(work, claims);
    for (const device of found) {
      if (!(device instanceof TerminalRefused)) this.note(work.caller.companyId, device.id, work.now);
    }
    return found;
  };

  /** To be called for each request of an admitted terminal. `now` is the server's time. */
  note(companyId: number, deviceId: number, now: Date): void {
    // May be earlier than before: the clock may have been corrected.
    this.#notes.of(companyId).set(deviceId, now.getTime());
  }

  /** Stores all that was noted. To be called when no request is running any more. Never rejects. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#notes.finish();
  }

  async #store(companyId: number, seen: ReadonlyMap<number, number>): Promise<void> {
    this.#forgetOld();
    let part: SeenDevice[] = [];
    let examined = 0;
    for (const [deviceId, seenAt] of seen) {
      if ((examined += 1) % IDS_PER_TURN === 0) await yieldToEventLoop();
      if (this.#isDue(`${companyId}/${deviceId}`)) part.push({ deviceId, seenAt });
      else this.#noteAgain(companyId, { deviceId, seenAt });
      if (part.length < ROWS_PER_UNIT) continue;
      await this.#write(companyId, part);
      part = [];
    }
    if (part.length > 0) await this.#write(companyId, part);
  }

  #forgetOld(): void {
    const before = this.clock.elapsed() - MINUTE;
    for (const [key, storedAt] of this.#storedAt) {
      if (storedAt > before) return;
      this.#storedAt.delete(key);
    }
  }

  /** Whether the device is to be stored now, since it was not in the last minute. */
  #isDue(key: string): boolean {
    const now = this.clock.elapsed();
    if (now < (this.#storedAt.get(key) ?? -Infinity) + MINUTE && !this.#isFinishing) return false;
    this.#storedAt.delete(key);
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
}

/** Maximum devices for which a node remembers the time of the last noted refusal. */
const MAX_REFUSED = 50_000;
/** Maximum unknown serial numbers of one company. A new one replaces the one seen longest ago. */
export const MAX_UNKNOWN_TERMINALS = 1_000;

/**
 * Stores why terminals were refused, in the background and seldom: refused terminals ask again and again. Of a
 * device, one refusal a minute is stored over all nodes. Of serial numbers without a device, a node keeps and
 * writes at most `MAX_UNKNOWN_TERMINALS` of each company every ten seconds.
 */
export class RefusalLog {
  /** Time of the last noted refusal, by `company/device`, in `elapsed`. */
  readonly #notedAt = new Map<string, number>();
  /** Reason by device. */
  readonly #refused: CompanyNotes<number, DeviceRefusalCode>;
  /** Sightings by serial number; the latest seen is last. */
  readonly #unknown: CompanyNotes<string, Omit<UnknownTerminal, 'id'>>;

  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: OnError,
  ) {
    const notesOf = <K, V>(
      intervalMs: number,
      write: (work: CompanyWriteWork, notes: ReadonlyMap<K, V>) => Promise<void>,
    ): CompanyNotes<K, V> =>
      new CompanyNotes({
        onError,
        clock,
        intervalMs,
        store: (companyId, notes) => units.writeWithoutLedger(companyId, (work) => write(work, notes)),
      });
    this.#refused = notesOf(SECOND, writeRefusals);
    this.#unknown = notesOf(10 * SECOND, async (work, sightings) => {
      await addUnknownTerminals(work, [...sightings.values()]);
      await trimUnknownTerminals(work, sightings.size, MAX_UNKNOWN_TERMINALS);
    });
  }

  note({ caller, serialNumber, deviceId }: TerminalClaim, { reason }: TerminalRefused): void {
    if ('deviceId' in reason) this.#noteRefused(caller.companyId, reason.deviceId, reason.code);
    else if (deviceId === null) this.noteUnknown(caller.companyId, serialNumber);
  }

  /** Stores what was noted. Never rejects. */
  async finish(): Promise<void> {
    await Promise.all([this.#refused.finish(), this.#unknown.finish()]);
  }

  #noteRefused(companyId: number, deviceId: number, code: DeviceRefusalCode): void {
    const key = `${companyId}/${deviceId}`;
    const now = this.clock.elapsed();
    if (now - (this.#notedAt.get(key) ?? -Infinity) < MINUTE) return;
    // The database compares the times again, for cleared entries and refusals stored by other nodes.
    if (this.#notedAt.size >= MAX_REFUSED) this.#notedAt.clear();
    this.#notedAt.set(key, now);
    this.#refused.of(companyId).set(deviceId, code);
  }

  noteUnknown(companyId: number, serialNumber: string): void {
    const now = this.clock.now();
    const sightings = this.#unknown.of(companyId);
    const { firstSeenAt = now, count = 0 } = sightings.get(serialNumber) ?? {};
    sightings.delete(serialNumber);
    const [oldest] = sightings.keys();
    if (sightings.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) sightings.delete(oldest);
    sightings.set(serialNumber, { serialNumber, firstSeenAt, lastSeenAt: now, count: count + 1 });
  }
}

async function writeRefusals(work: CompanyWriteWork, refused: ReadonlyMap<number, DeviceRefusalCode>) {
  // One second less, because a noted refusal waits for up to a second.
  const unlessSince = new Date(work.now.getTime() - MINUTE + SECOND);
  for (const [code, entries] of Map.groupBy(refused, ([, given]) => given)) {
    await storeRefusals(work, { code, deviceIds: entries.map(([id]) => id), unlessSince });
  }
}

/** Creates the device of an unknown terminal. Errors: `not_found` for others, and those of `createDevice`. */
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
