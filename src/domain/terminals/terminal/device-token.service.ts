import { inCompany, only } from '../../../database/company/company-rows.js';
import type { Units, WriteWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import { LOCAL_ORIGIN } from '../../../platform/requests.js';
import type { Device } from '../../fleet/device/device.model.js';
import { endOfOld, hashToken, randomToken } from '../../people/access-token/access-token.model.js';
import { unauthenticated } from '../../people/access-token/authentication.service.js';
import {
  deleteDeviceToken,
  type DeviceCredential,
  markTokenUsed,
  type NewDeviceToken,
  replaceDeviceTokens,
  selectDevicesForTokens,
  selectDeviceTokens,
  type StoredToken,
  type TokenStep,
} from './terminal.repository.js';

type TokenDevice = Pick<Device, 'id' | 'serialNumber'>;

export type IssuedDeviceToken = Awaited<ReturnType<typeof issueDeviceToken>>;

/**
 * Issues the token of a device. `secret` is its text, which is not stored. The former one works for `keepOldFor`
 * milliseconds more, see `oldBeside`. Errors: `invalid` for a time that is too long.
 */
export async function issueDeviceToken(work: WriteWork, device: TokenDevice, keepOldFor = 0) {
  return only(await issueAll(work, [device], keepOldFor));
}

/** Issues tokens for the next devices, in the order of their ids. Returns an empty list at the end. */
export async function issueNextDeviceTokens(work: WriteWork, step: TokenStep, keepOldFor = 0) {
  return await issueAll(work, await selectDevicesForTokens(work, step), keepOldFor);
}

async function issueAll(work: WriteWork, devices: readonly TokenDevice[], keepOldFor: number) {
  const until = endOfOld(work.now, keepOldFor);
  const ids = devices.map(({ id }) => id);
  const present = await selectDeviceTokens(work, keepOldFor === 0 ? [] : ids);
  const issued = devices.map(({ id, serialNumber }) => {
    const old = oldBeside(present.get(id), work.now);
    return { deviceId: id, serialNumber, secret: randomToken(), old: old && { ...old, until } };
  });
  await replaceDeviceTokens(work, issued);
  for (const each of issued) recordIssue(work, each, 'issue');
  return issued;
}

/**
 * Issues a token in place of the one with which a terminal has sent its request, which then ends when the new one is
 * used for the first time; if it has an end already, it keeps that. Returns the text of the new one. Errors:
 * `forbidden` for a gateway token, `unauthenticated` if the token has ended meanwhile.
 */
export async function renewDeviceToken(work: WriteWork, device: TokenDevice, given: string): Promise<string> {
  if (work.caller.tokenId !== null) {
    throw new DomainError(
      'forbidden',
      'Only the token of the device itself is renewed, not that of a gateway.',
    );
  }
  const present = (await selectDeviceTokens(work, [device.id])).get(device.id);
  if (present === undefined || !isValid(present, hashToken(given), work.now)) throw unauthenticated();
  const secret = randomToken();
  const renewed = { deviceId: device.id, serialNumber: device.serialNumber, secret };
  await replaceDeviceTokens(work, [{ ...renewed, old: oldBeside(present, work.now) }]);
  recordIssue(work, { ...renewed, old: null }, 'renew');
  return secret;
}

/**
 * The old token that is kept beside a new one: the present one; or, if that was never used, the old one that is still
 * valid, since the terminal has only that. Its end stays.
 */
function oldBeside(present: StoredToken | undefined, now: Date): NewDeviceToken['old'] {
  if (present === undefined) return null;
  const { old, isUsed, hash, lastFour } = present;
  return old !== null && !isUsed && isValid(present, old.hash, now) ? old : { hash, lastFour, until: null };
}

/** Whether a hash is that of the present token of a device, or of its old one before its end. */
export function isValid({ hash, old }: StoredToken, given: string, now: Date): boolean {
  if (given === hash) return true;
  return given === old?.hash && (old.until === null || now < old.until);
}

function recordIssue(
  work: WriteWork,
  { deviceId: id, serialNumber, secret, old }: NewDeviceToken & Pick<TokenDevice, 'serialNumber'>,
  action: 'issue' | 'renew',
): void {
  const kept = old && { oldLastFour: old.lastFour, oldUntil: old.until };
  const entry = { ...entryOf({ id, serialNumber }, secret.slice(-4)), ...kept };
  work.ledger.created('device_token', entry, { action });
}

/** Stores the first use of a token beside which there is an old one; ends an old one that was kept until then. */
export async function noteFirstUse(units: Units, credential: DeviceCredential): Promise<void> {
  const { companyId, deviceId, serialNumber, issuedBy: userId, old } = credential;
  await units.systemWrite(
    LOCAL_ORIGIN,
    async (work) => {
      await markTokenUsed(inCompany(work, companyId), credential);
      if (old === null || old.until !== null) return;
      const entry = entryOf({ id: deviceId, serialNumber }, old.lastFour);
      work.ledger.deleted('device_token', entry, { action: 'end', companyId, userId });
    },
    companyId,
  );
}

/** Revokes the token of a device, with the old one beside it. Nothing changes if it has none. */
export async function revokeDeviceToken<D extends TokenDevice>(work: WriteWork, device: D): Promise<D> {
  const revoked = await deleteDeviceToken(work, device.id);
  if (revoked !== undefined) {
    work.ledger.deleted('device_token', entryOf(device, revoked.lastFour), { action: 'revoke' });
  }
  return device;
}

/** Entry of a token in the ledger. */
const entryOf = ({ id, serialNumber }: TokenDevice, lastFour: string) => ({ id, serialNumber, lastFour });
