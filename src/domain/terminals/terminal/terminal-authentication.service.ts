import type { Units } from '../../../database/work.js';
import { type Authenticator, type Caller, demandScope, type Origin } from '../../../platform/caller.js';
import type { Clock } from '../../../platform/clock.js';
import { Batcher } from '../../../platform/concurrency/batcher.js';
import { DomainError } from '../../../platform/errors.js';
import type { TerminalClaim } from '../../../platform/terminal.js';
import { SerialNumber } from '../../fleet/device/device.model.js';
import { TOKEN_FORM } from '../../people/access-token/access-token.model.js';
import { cachedLookUp, type ValidTokens } from '../../people/access-token/authentication.service.js';
import { type DeviceCredential, findDeviceCredentials } from './device-token.repository.js';

/** Finds the device of a device token; undefined for any other text. */
export type FindDeviceToken = (token: string | undefined) => Promise<DeviceCredential | undefined>;

/** A fleet has as many tokens as terminals, so the look-ups of one turn of the event loop are combined. */
const LOOK_UPS = { most: 200, everyMs: 0 } as const;

export function createDeviceTokenLookUp(units: Units, clock: Clock): FindDeviceToken {
  const lookUps = new Batcher<null, string, { readonly credential: DeviceCredential | undefined }>({
    ...LOOK_UPS,
    perform: async (_key, hashes) => {
      const found = await units.systemRead((work) => findDeviceCredentials(work, hashes));
      return hashes.map((hash) => ({ credential: found.get(hash) }));
    },
  });
  const find = async (hash: string): Promise<DeviceCredential | undefined> =>
    (await lookUps.add(null, hash)).credential;
  const look = cachedLookUp(units, clock, ['device_token'], find);
  return async (token) => (token === undefined || !TOKEN_FORM.test(token) ? undefined : await look(token));
}

/**
 * Refuses device tokens like tokens without the needed scope: they are for `/terminal/v1` only. Errors:
 * `forbidden` for a device token, otherwise the errors of `access`.
 */
export function withoutDeviceTokens(access: Authenticator, find: FindDeviceToken): Authenticator {
  return {
    authenticate: async (token, origin) => {
      try {
        return await access.authenticate(token, origin);
      } catch (error) {
        const isUnknown = error instanceof DomainError && error.code === 'unauthenticated';
        if (!isUnknown || (await find(token)) === undefined) throw error;
        throw new DomainError('forbidden', 'This is the token of a device, which is for /terminal/v1 only.');
      }
    },
  };
}

/**
 * Terminal that sends a request: the device of a device token, or the terminal that the request with a
 * gateway token names. `named` is the serial number in the request; undefined if it has none. Errors:
 * `unauthenticated`; `forbidden` for a token without the scope `terminals`, and for a device token with the
 * name of another terminal; `malformed` for a gateway token without a name.
 */
export async function claimTerminal(
  {
    access,
    find,
    gateways,
  }: {
    readonly access: Authenticator;
    readonly find: FindDeviceToken;
    /** Valid gateway tokens, which are not looked up as device tokens: a gateway sends many requests. */
    readonly gateways: ValidTokens;
  },
  { token, named }: { readonly token: string | undefined; readonly named: string | undefined },
  origin: Origin,
): Promise<TerminalClaim> {
  const isOfGateway = token !== undefined && gateways.has(token);
  const credential = isOfGateway ? undefined : await find(token);
  if (credential === undefined) {
    const caller = await access.authenticate(token, origin);
    demandScope(caller, 'terminals');
    if (token !== undefined) gateways.add(token);
    return { caller, serialNumber: serialNumberOf(named), deviceId: null };
  }
  const { deviceId, serialNumber } = credential;
  if (named !== undefined && serialNumberOf(named) !== serialNumber) {
    throw new DomainError('forbidden', 'X-Serial-Number names another terminal than that of the token.');
  }
  return { caller: deviceCaller(credential, origin), serialNumber, deviceId };
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
