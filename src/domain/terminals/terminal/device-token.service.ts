import { only } from '../../../database/company/company-rows.js';
import type { WriteWork } from '../../../database/work.js';
import type { Device } from '../../fleet/device/device.model.js';
import { randomToken } from '../../people/access-token/access-token.model.js';
import {
  deleteDeviceToken,
  replaceDeviceTokens,
  selectDevicesForTokens,
  type TokenStep,
} from './terminal.repository.js';

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
