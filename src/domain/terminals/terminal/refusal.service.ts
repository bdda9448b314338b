import type { CompanyWriteWork, Units, WriteWork } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { type DeviceRefusalCode, errorAt, type TerminalRefused } from '../../../platform/errors.js';
import type { TerminalClaim } from '../../../platform/terminal.js';
import { normalized } from '../../../platform/validate.js';
import type { Device } from '../../fleet/device/device.model.js';
import { createDevice } from '../../fleet/device/device.service.js';
import { CompanyNotes } from './access.service.js';
import * as store from './terminal.repository.js';

export {
  lastRefusals,
  type TerminalRefusal,
  type UnknownTerminal,
  unknownTerminals,
} from './terminal.repository.js';

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
  /** LastSeenTimes by serial number; the latest seen is last. */
  readonly #unknown: CompanyNotes<string, Omit<store.UnknownTerminal, 'id'>>;

  constructor(
    units: Units,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
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
    this.#unknown = notesOf(10 * SECOND, async (work, lastSeenTimes) => {
      await store.addUnknownTerminals(work, [...lastSeenTimes.values()]);
      await store.trimUnknownTerminals(work, lastSeenTimes.size, MAX_UNKNOWN_TERMINALS);
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
    const lastSeenTimes = this.#unknown.of(companyId);
    const { firstSeenAt = now, count = 0 } = lastSeenTimes.get(serialNumber) ?? {};
    lastSeenTimes.delete(serialNumber);
    const [oldest] = lastSeenTimes.keys();
    if (lastSeenTimes.size >= MAX_UNKNOWN_TERMINALS && oldest !== undefined) lastSeenTimes.delete(oldest);
    lastSeenTimes.set(serialNumber, { serialNumber, firstSeenAt, lastSeenAt: now, count: count + 1 });
  }
}

async function writeRefusals(work: CompanyWriteWork, refused: ReadonlyMap<number, DeviceRefusalCode>) {
  // One second less, because a noted refusal waits for up to a second.
  const unlessSince = new Date(work.now.getTime() - MINUTE + SECOND);
  for (const [code, entries] of Map.groupBy(refused, ([, given]) => given)) {
    await store.storeRefusals(work, { code, deviceIds: entries.map(([id]) => id), unlessSince });
  }
}

/** Creates the device of an unknown terminal. Errors: `not_found` for others, and those of `createDevice`. */
export async function adoptTerminal(
  work: WriteWork,
  serialNumber: string,
  { logicalNumberId = null }: { readonly logicalNumberId?: unknown },
): Promise<Device> {
  const name = normalized(serialNumber);
  if (!(await store.isUnknownTerminal(work, name))) {
    throw errorAt('serialNumber', 'not_found', 'No unknown terminal has this serial number.');
  }
  return await createDevice(work, { serialNumber: name, logicalNumberId });
}
