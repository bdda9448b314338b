import { only } from '../../../database/company/company-rows.js';
import type { WriteWork } from '../../../database/work.js';
import type { Device } from '../../fleet/device/device.model.js';
import { hashToken, randomToken } from '../../people/access-token/access-token.model.js';
import {
  deleteDeviceToken,
  replaceDeviceTokens,
  selectDevicesForTokens,
  type TokenStep,
} from './device-token.repository.js';
import type { IssuedToken } from './terminal.model.js';

type TokenDevice = Pick<Device, 'id' | 'serialNumber'>;

/** Issues the token of a device. Its former token becomes invalid. */
export async function issueDeviceToken(work: WriteWork, device: TokenDevice): Promise<IssuedToken> {
  return only(await issueAll(work, [device]));
}

/** Issues tokens for the next devices, in the order of their ids. Returns an empty list at the end. */
export async function issueNextDeviceTokens(
  work: WriteWork,
  step: TokenStep,
): Promise<readonly IssuedToken[]> {
  return await issueAll(work, await selectDevicesForTokens(work, step));
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
  const tokens = devices.map((device) => {
    const secret = randomToken();
    return { device, secret, deviceId: device.id, hash: hashToken(secret), lastFour: secret.slice(-4) };
  });
  await replaceDeviceTokens(work, tokens);
  return tokens.map(({ device, secret, deviceId, lastFour }) => {
    work.ledger.created('device_token', entryOf(device, lastFour), { action: 'issue' });
    return { deviceId, serialNumber: device.serialNumber, secret };
  });
}

/** Entry of a token in the ledger. */
const entryOf = ({ id, serialNumber }: TokenDevice, lastFour: string) => ({ id, serialNumber, lastFour });
