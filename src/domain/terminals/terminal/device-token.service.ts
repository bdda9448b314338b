import { only } from '../../../database/company/company-rows.js';
import type { WriteWork } from '../../../database/work.js';
import type { Device } from '../../fleet/device/device.model.js';
import { hashToken, randomToken } from '../../people/access-token/access-token.model.js';
import { deleteDeviceToken, replaceDeviceTokens, selectDevicesForTokens } from './device-token.repository.js';
import type { IssuedToken } from './terminal.model.js';

type TokenDevice = Pick<Device, 'id' | 'serialNumber'>;

/** Issues the token of a device. Its former token becomes invalid. */
export async function issueDeviceToken(work: WriteWork, device: TokenDevice): Promise<IssuedToken> {
  return only(await issueAll(work, [device]));
}

/** Devices that get tokens in one step, which is one unit of work. */
export interface TokenStep {
  /** Id of the last device of the previous step; 0 for the first step. */
  readonly after: number;
  readonly limit: number;
  /** Whether devices that have a token get a new one. */
  readonly replace: boolean;
}

/** Issues tokens for the next devices, in the order of their ids. Returns an empty list at the end. */
export async function issueNextDeviceTokens(
  work: WriteWork,
  { after, limit, replace }: TokenStep,
): Promise<readonly IssuedToken[]> {
  return await issueAll(work, await selectDevicesForTokens(work, { after, limit, all: replace }));
}

/** Revokes the token of a device. Nothing changes if it has none. */
export async function revokeDeviceToken<D extends TokenDevice>(work: WriteWork, device: D): Promise<D> {
  const lastFour = await deleteDeviceToken(work, device.id);
  if (lastFour !== undefined) {
    work.ledger.deleted('device_token', entryOf(device, lastFour), { action: 'revoke' });
  }
  return device;
}

async function issueAll(work: WriteWork, devices: readonly TokenDevice[]): Promise<IssuedToken[]> {
  const issued = devices.map((device) => ({ device, secret: randomToken() }));
  await replaceDeviceTokens(
    work,
    issued.map(({ device, secret }) => ({
      deviceId: device.id,
      hash: hashToken(secret),
      lastFour: lastFourOf(secret),
    })),
  );
  return issued.map(({ device, secret }) => {
    work.ledger.created('device_token', entryOf(device, lastFourOf(secret)), { action: 'issue' });
    return { deviceId: device.id, serialNumber: device.serialNumber, secret };
  });
}

const lastFourOf = (secret: string): string => secret.slice(-4);

/** Entry of a token in the ledger. */
const entryOf = ({ id, serialNumber }: TokenDevice, lastFour: string) => ({ id, serialNumber, lastFour });
