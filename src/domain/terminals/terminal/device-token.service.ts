import { inCompany, only } from '../../../database/company/company-rows.js';
import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { KeyedHash } from '../../../platform/hashes.js';
import { LOCAL_ORIGIN } from '../../../platform/requests.js';
import { isObject } from '../../../platform/validate.js';
import type { Job } from '../../base/job/job.model.js';
import { getJob, type JobContext } from '../../base/job/job.service.js';
import type { Device } from '../../fleet/device/device.model.js';
import { endOfOld, hashToken, randomToken } from '../../people/access-token/access-token.model.js';
import { unauthenticated } from '../../people/access-token/authentication.service.js';
import * as store from './terminal.repository.js';

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
export async function issueNextDeviceTokens(work: WriteWork, step: store.TokenStep, keepOldFor = 0) {
  return await issueAll(work, await store.selectDevicesForTokens(work, step), keepOldFor);
}

/** Issues tokens of a job, see `tokensOfJob`; with `keepOldFor` null, for the devices that have none. */
export async function issueTokensOfJob(
  work: WriteWork,
  { job, tokenSecret }: JobContext,
  devices: readonly TokenDevice[],
  keepOldFor: number | null,
): Promise<void> {
  const ids = devices.map(({ id }) => id);
  const present = await store.selectDeviceTokens(work, keepOldFor === null ? ids : []);
  const chosen = devices.filter(({ id }) => !present.has(id));
  const textOf = ({ id }: TokenDevice): string => textOfJob(tokenSecret, work.caller.companyId, job, id);
  await issueAll(work, chosen, keepOldFor ?? 0, { id: job.id, textOf });
}

/**
 * The text of the token that a job issues for a device. Only its hash is stored, so the database alone shows no token,
 * and the file of the job is computed when it is fetched. The time is part of it, since another job may get the same
 * id after a database was restored.
 */
function textOfJob(
  tokenSecret: string,
  companyId: number,
  { id, createdAt }: JobContext['job'],
  device: number,
) {
  const key = new KeyedHash(tokenSecret, 'device token of a job, form 1');
  return key.of([companyId, id, createdAt.getTime(), device]).slice(0, 40);
}

async function issueAll(
  work: WriteWork,
  devices: readonly TokenDevice[],
  keepOldFor: number,
  job: { readonly id: number | null; readonly textOf: (device: TokenDevice) => string } = ALONE,
) {
  const until = endOfOld(work.now, keepOldFor);
  const ids = devices.map(({ id }) => id);
  const present = await store.selectDeviceTokens(work, keepOldFor === 0 ? [] : ids);
  const issued = devices.map((device) => {
    const { id, serialNumber } = device;
    const old = oldBeside(present.get(id), work.now);
    const oldUntil = old.oldHash === null ? null : until;
    return { deviceId: id, serialNumber, secret: job.textOf(device), ...old, oldUntil, jobId: job.id };
  });
  await store.replaceDeviceTokens(work, issued);
  for (const each of issued) recordIssue(work, each, 'issue');
  return issued;
}

const ALONE = { id: null, textOf: randomToken };

/** Time after the end of a job for which its file of tokens can be fetched. */
const FILE_MS = DAY;
const TOKENS_PER_PAGE = 500;

/** End of the file of the tokens that a job has issued; null if it has none, or none yet. */
export function endOfFile({ input, endedAt }: Job): Date | null {
  const issues = isObject(input) && (input.token !== undefined || input.issueTokens === true);
  return issues && endedAt !== null ? new Date(endedAt.getTime() + FILE_MS) : null;
}

/** Records that the file of a job is fetched. Errors: `not_found` if there is none, or none any more. */
export async function beginTokenFile(work: WriteWork, jobId: number): Promise<void> {
  const end = endOfFile(await getJob(work, jobId));
  if (end === null || end <= work.now) throw notFound('file of tokens');
  work.ledger.append({ action: 'fetch', entityType: 'job', entityId: jobId });
}

/**
 * The next tokens that a job has issued, without those that were replaced or revoked since; null at the end. Their
 * texts are computed of the secret, so that the database alone shows none.
 */
export async function tokensOfJob(work: ReadWork, tokenSecret: string, jobId: number, after: number) {
  const job = await getJob(work, jobId);
  const rows = await store.selectTokensOfJob(work, jobId, after, TOKENS_PER_PAGE);
  const tokens = rows.flatMap(({ deviceId, hash, serialNumber }) => {
    const token = textOfJob(tokenSecret, work.caller.companyId, job, deviceId);
    return hashToken(token) === hash ? { serialNumber, token } : [];
  });
  const last = rows.at(-1)?.deviceId;
  return last === undefined ? null : { tokens, last };
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
  const present = (await store.selectDeviceTokens(work, [device.id])).get(device.id);
  if (present === undefined || !isValid(present, hashToken(given), work.now)) throw unauthenticated();
  const secret = randomToken();
  const renewed = { deviceId: device.id, serialNumber: device.serialNumber, secret };
  await store.replaceDeviceTokens(work, [{ ...renewed, ...oldBeside(present, work.now), jobId: null }]);
  recordIssue(work, { ...renewed, ...NO_OLD, jobId: null }, 'renew');
  return secret;
}

/**
 * The old token that is kept beside a new one: the present one; or, if that was never used, the old one that is still
 * valid, since the terminal has only that. Its end stays.
 */
function oldBeside(present: store.StoredToken | undefined, now: Date): store.OldToken {
  if (present === undefined) return NO_OLD;
  const { oldHash, oldLastFour, oldUntil, isUsed, tokenHash, lastFour } = present;
  const isKept = oldHash !== null && !isUsed && isValid(present, oldHash, now);
  return isKept
    ? { oldHash, oldLastFour, oldUntil }
    : { oldHash: tokenHash, oldLastFour: lastFour, oldUntil: null };
}

const NO_OLD: store.OldToken = { oldHash: null, oldLastFour: null, oldUntil: null };

/** True if a hash is that of the present token of a device, or of its old one before its end. */
export function isValid(
  { tokenHash, oldHash, oldUntil }: store.StoredToken,
  given: string,
  now: Date,
): boolean {
  return given === tokenHash || (given === oldHash && (oldUntil === null || now < oldUntil));
}

function recordIssue(
  work: WriteWork,
  {
    deviceId: id,
    serialNumber,
    secret,
    oldHash,
    oldLastFour,
    oldUntil,
  }: store.NewDeviceToken & Pick<TokenDevice, 'serialNumber'>,
  action: 'issue' | 'renew',
): void {
  const kept = oldHash !== null && { oldLastFour, oldUntil };
  const entry = { ...entryOf({ id, serialNumber }, secret.slice(-4)), ...kept };
  work.ledger.created('device_token', entry, { action });
}

/** Stores the first use of a token beside which there is an old one; ends an old one that was kept until then. */
export async function noteFirstUse(units: Units, credential: store.DeviceCredential): Promise<void> {
  const { companyId, deviceId, serialNumber, oldHash, oldLastFour, oldUntil } = credential;
  await units.systemWrite(
    LOCAL_ORIGIN,
    async (work) => {
      await store.markTokenUsed(inCompany(work, companyId), credential);
      if (oldHash === null || oldUntil !== null) return;
      const entry = entryOf({ id: deviceId, serialNumber }, oldLastFour ?? '');
      work.ledger.deleted('device_token', entry, { action: 'end', companyId, userId: null });
    },
    companyId,
  );
}

/** Revokes the token of a device, with the old one beside it. Nothing changes if it has none. */
export async function revokeDeviceToken<D extends TokenDevice>(work: WriteWork, device: D): Promise<D> {
  const revoked = await store.deleteDeviceToken(work, device.id);
  if (revoked !== undefined) {
    work.ledger.deleted('device_token', entryOf(device, revoked.lastFour), { action: 'revoke' });
  }
  return device;
}

const entryOf = ({ id, serialNumber }: TokenDevice, lastFour: string) => ({ id, serialNumber, lastFour });

/** Finds the device of a device token; undefined for any other text. */
export type FindDeviceToken = (token: string | undefined) => Promise<store.DeviceCredential | undefined>;

/** Refuses a token that is not one of a user. Errors: `forbidden` for one of a device; otherwise `unauthenticated`. */
export async function refuseToken(token: string | undefined, find: FindDeviceToken): Promise<never> {
  if ((await find(token)) === undefined) throw unauthenticated();
  throw new DomainError('forbidden', 'This is the token of a device, which is for /terminal/v1 only.');
}
