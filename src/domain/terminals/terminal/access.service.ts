import { only } from '../../../database/company/company-rows.js';
import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import { type Caller, demandScope, type Origin } from '../../../platform/caller.js';
import type { Clock } from '../../../platform/clock.js';
import { Batcher } from '../../../platform/concurrency/batcher.js';
import { DomainError, invalid, TerminalRefused } from '../../../platform/errors.js';
import type { TerminalClaim } from '../../../platform/terminal.js';
import { normalized } from '../../../platform/validate.js';
import { type Device, SerialNumber } from '../../fleet/device/device.model.js';
import { findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import { logicalNumbers } from '../../fleet/logical-number/logical-number.service.js';
import { randomToken } from '../../people/access-token/access-token.model.js';
import {
  type CachingAuthenticator,
  TokenLookUp,
  unauthenticated,
} from '../../people/access-token/authentication.service.js';
import {
  deleteDeviceToken,
  type DeviceCredential,
  findDeviceCredentials,
  replaceDeviceTokens,
  selectDevicesForTokens,
  type TokenStep,
} from './terminal.repository.js';

/** Finds the device of a device token; undefined for any other text. */
export type FindDeviceToken = (token: string | undefined) => Promise<DeviceCredential | undefined>;

/** A fleet has as many tokens as terminals, so the look-ups of one turn of the event loop are combined. */
export function createDeviceTokenLookUp(units: Units, clock: Clock): FindDeviceToken {
  const lookUps = new Batcher<null, string, { readonly credential: DeviceCredential | undefined }>({
    most: 200,
    everyMs: 0,
    perform: async (_key, hashes) => {
      const found = await units.systemRead((work) => findDeviceCredentials(work, hashes));
      return hashes.map((hash) => ({ credential: found.get(hash) }));
    },
  });
  const find = async (hash: string) => (await lookUps.add(null, hash)).credential;
  const cached = new TokenLookUp(units, clock, ['device_token'], find);
  return (token) => cached.find(token);
}

/** Refuses a token that is not one of a user. Errors: `forbidden` for one of a device; otherwise `unauthenticated`. */
export async function refuseToken(token: string | undefined, find: FindDeviceToken): Promise<never> {
  if ((await find(token)) === undefined) throw unauthenticated();
  throw new DomainError('forbidden', 'This is the token of a device, which is for /terminal/v1 only.');
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
      demandScope(caller, 'terminals');
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
  const serialNumber = SerialNumber.safeParse(named);
  if (serialNumber.success) return serialNumber.data;
  const [issue] = serialNumber.error.issues;
  throw new DomainError('malformed', `X-Serial-Number ${issue?.message ?? 'is not a serial number'}.`);
}

/** The device of a terminal that may use the service. */
export type AdmittedDevice = Device & { readonly logicalNumberId: number };

/**
 * The one rule of access, for every request of a terminal: its serial number is that of a device of the
 * company, which is enabled and works under a logical number (decisions.md#terminal-access). By claim: the
 * device, or why its terminal may not use the service. One statement.
 */
export async function admitTerminals(work: ReadWork, claims: readonly TerminalClaim[]) {
  const serialNumbers = new Set(claims.map(({ serialNumber }) => serialNumber));
  const devices = await findDevicesBySerialNumbers(work, [...serialNumbers]);
  return claims.map((claim) => admitted(devices.get(claim.serialNumber), claim));
}

function admitted(device: Device | undefined, { deviceId }: TerminalClaim): AdmittedDevice | TerminalRefused {
  // The device of the token may just have been deleted, and another one created with its serial number.
  if (device === undefined || (deviceId !== null && deviceId !== device.id)) {
    return new TerminalRefused('No device has this serial number.', { code: 'unknown_terminal' });
  }
  const { id, enabled, logicalNumberId } = device;
  if (!enabled) {
    return new TerminalRefused('The device is disabled.', { code: 'terminal_disabled', deviceId: id });
  }
  if (logicalNumberId === null) {
    const reason = { code: 'terminal_unassigned', deviceId: id } as const;
    return new TerminalRefused('The device has no logical number.', reason);
  }
  return { ...device, logicalNumberId };
}

/** Errors: `invalid` if `given`, the logical number that a terminal names, is not its own. */
export async function demandOwnNumber(
  work: ReadWork,
  { logicalNumberId }: AdmittedDevice,
  given: string | undefined,
): Promise<void> {
  if (given === undefined) return;
  const number = (await logicalNumbers.byIds(work, [logicalNumberId])).get(logicalNumberId)?.number;
  if (normalized(given) === number) return;
  throw invalid(
    'logicalNumber',
    `foreign_logical_number: must be ${number}, which the terminal has, or absent`,
  );
}

type TokenDevice = Pick<Device, 'id' | 'serialNumber'>;

export type IssuedDeviceToken = Awaited<ReturnType<typeof issueDeviceToken>>;

/** Issues the token of a device, in place of its former one. `secret` is its text, which is not stored. */
export async function issueDeviceToken(work: WriteWork, device: TokenDevice) {
  return only(await issueAll(work, [device]));
}

/** Issues tokens for the next devices, in the order of their ids. Returns an empty list at the end. */
export async function issueNextDeviceTokens(work: WriteWork, step: TokenStep) {
  return await issueAll(work, await selectDevicesForTokens(work, step));
}

async function issueAll(work: WriteWork, devices: readonly TokenDevice[]) {
  const issued = devices.map(({ id, serialNumber }) => ({
    deviceId: id,
    serialNumber,
    secret: randomToken(),
  }));
  await replaceDeviceTokens(work, issued);
  for (const { deviceId: id, serialNumber, secret } of issued) {
    const entry = entryOf({ id, serialNumber }, secret.slice(-4));
    work.ledger.created('device_token', entry, { action: 'issue' });
  }
  return issued;
}

/** Revokes the token of a device. Nothing changes if it has none. */
export async function revokeDeviceToken<D extends TokenDevice>(work: WriteWork, device: D): Promise<D> {
  const lastFour = await deleteDeviceToken(work, device.id);
  if (lastFour !== undefined) {
    work.ledger.deleted('device_token', entryOf(device, lastFour), { action: 'revoke' });
  }
  return device;
}

/** Entry of a token in the ledger. */
const entryOf = ({ id, serialNumber }: TokenDevice, lastFour: string) => ({ id, serialNumber, lastFour });
