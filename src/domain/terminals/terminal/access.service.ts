import type { ReadWork, Units } from '../../../database/work.js';
import { type Clock, MINUTE, SECOND } from '../../../platform/clock.js';
import { Batcher } from '../../../platform/concurrency/batcher.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, TerminalRefused } from '../../../platform/errors.js';
import { type Caller, requireScope, type Origin } from '../../../platform/requests.js';
import type { Admission, TerminalClaim } from '../../../platform/terminal.js';
import { checked, normalized } from '../../../platform/validate.js';
import { type Device, type SeenDevice, SerialNumber } from '../../fleet/device/device.model.js';
import { findDevicesBySerialNumbers, storeLastSeenTimes } from '../../fleet/device/device.service.js';
import * as fleet from '../../fleet/logical-number/logical-number.service.js';
import {
  type CachingAuthenticator,
  TokenLookUp,
  unauthenticated,
} from '../../people/access-token/authentication.service.js';
import { type FindDeviceToken, isValid, noteFirstUse } from './device-token.service.js';
import { type DeviceCredential, findDeviceCredentials } from './terminal.repository.js';

/** A fleet has as many tokens as terminals, so the look-ups of one turn of the event loop are combined. */
export function createDeviceTokenLookUp(
  units: Units,
  clock: Clock,
  onError: (error: unknown) => void,
): FindDeviceToken {
  const lookUps = new Batcher<null, string, { readonly credential: DeviceCredential | undefined }>({
    most: 200,
    everyMs: 0,
    perform: async (_key, hashes) => {
      const found = await units.systemRead((work) => findDeviceCredentials(work, hashes));
      return hashes.map((hash) => ({ credential: found.get(hash) }));
    },
  });
  const find = async (hash: string) => {
    const { credential } = await lookUps.add(null, hash);
    const isFirstUse = credential?.tokenHash === hash && credential.oldHash !== null && !credential.isUsed;
    // If this cannot be stored, the next look-up does it.
    if (isFirstUse) await noteFirstUse(units, credential).catch(onError);
    return credential && { credential, hash };
  };
  const cached = new TokenLookUp(units, clock, ['device_token'], find);
  return async (token) => {
    const found = await cached.find(token);
    if (found === undefined) return undefined;
    const { credential, hash } = found;
    return credential.tokenHash === hash || isValid(credential, hash, clock.now()) ? credential : undefined;
  };
}

/**
 * Finds the terminal that sends a request: the device of a device token, or the terminal that the request with a
 * gateway token names. `named` is the serial number in the request; undefined if it has none. Errors:
 * `unauthenticated`; `forbidden` for a token without the scope `terminals`, and for a device token with the
 * name of another terminal; `malformed` for a gateway token without a name.
 */
export function createClaims(access: CachingAuthenticator, find: FindDeviceToken) {
  return async (
    { token, named }: { readonly token: string | undefined; readonly named: string | undefined },
    origin: Origin,
  ): Promise<TerminalClaim> => {
    // A gateway sends many requests: its token is not looked up as one of a device each time.
    const credential = access.knows(token) ? undefined : await find(token);
    if (credential === undefined) {
      const caller = await access.callerOf(token, origin);
      if (caller === undefined) throw unauthenticated();
      requireScope(caller, 'terminals');
      return { caller, serialNumber: serialNumberOf(named), deviceId: null };
    }
    const { deviceId, serialNumber } = credential;
    if (named !== undefined && serialNumberOf(named) !== serialNumber) {
      throw new DomainError('forbidden', 'X-Serial-Number names another terminal than that of the token.');
    }
    return { caller: deviceCaller(credential, origin), serialNumber, deviceId };
  };
}

/** A device token acts for the user who issued it, as every token acts for a user. */
function deviceCaller({ companyId, issuedBy }: DeviceCredential, origin: Origin): Caller {
  return {
    ...origin,
    companyId,
    userId: issuedBy,
    tokenId: null,
    role: 'operator',
    scopes: ['terminals'],
    timeZone: 'UTC',
  };
}

function serialNumberOf(named: string | undefined): string {
  if (named === undefined) {
    throw new DomainError('malformed', 'A gateway token must name the terminal in X-Serial-Number.');
  }
  const { data, problems } = checked(SerialNumber, named);
  if (data !== undefined) return data;
  const [problem] = problems;
  throw new DomainError('malformed', `X-Serial-Number ${problem?.message ?? 'is not a serial number'}.`);
}

/** The device of a terminal that may use the service. */
export type AdmittedDevice = Device & { readonly logicalNumberId: number };

/**
 * The one rule of access, for every request of a terminal: its serial number is that of a device of the
 * company, which is enabled and works under a logical number (decisions.md#terminal-access). By claim: the
 * device, or why its terminal may not use the service. One statement.
 */
async function admitTerminals(work: ReadWork, claims: readonly TerminalClaim[]) {
  const serialNumbers = new Set(claims.map(({ serialNumber }) => serialNumber));
  const devices = await findDevicesBySerialNumbers(work, [...serialNumbers]);
  return claims.map((claim) => admitted(devices.get(claim.serialNumber), claim));
}

function admitted(device: Device | undefined, { deviceId }: TerminalClaim): Admission<AdmittedDevice> {
  // The device of the token may just have been deleted, and another one created with its serial number.
  if (device === undefined || (deviceId !== null && deviceId !== device.id)) {
    return refusedFor('No device has this serial number.', { code: 'unknown_terminal' });
  }
  const { id, enabled, logicalNumberId } = device;
  if (!enabled) {
    return refusedFor('The device is disabled.', { code: 'terminal_disabled', deviceId: id });
  }
  if (logicalNumberId === null) {
    return refusedFor('The device has no logical number.', { code: 'terminal_unassigned', deviceId: id });
  }
  return { terminal: { ...device, logicalNumberId } };
}

const refusedFor = (message: string, reason: TerminalRefused['reason']) => ({
  refused: new TerminalRefused(message, reason),
});

/** The logical number that a terminal names, in its stored form. Errors: `invalid` if it never had it. */
export async function ownNumber(
  work: ReadWork,
  { id, logicalNumberId }: AdmittedDevice,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const { number } = await fleet.logicalNumberHeads.get(work, logicalNumberId);
  const former = normalized(given) === number ? [] : await fleet.formerNumbersOf(work, id);
  if (fleet.isNumberOf(number, former, given)) return normalized(given);
  throw fleet.foreignNumber(number);
}

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
    private readonly onError: (error: unknown) => void,
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
    for (const each of found) {
      if ('terminal' in each) this.note(work.caller.companyId, each.terminal.id, work.now);
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
      await this.units.writeWithoutLedger(companyId, (work) => storeLastSeenTimes(work, part));
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
