import { randomBytes } from 'node:crypto';

import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { invalidRecord, notFound, taken } from '../../../platform/errors.js';
import type { Credential, Signed } from '../../../platform/passkeys.js';
import { requireSession } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { deleteCodes, saveCodes, selectCodes, takeCode } from './one-time-code.repository.js';
import {
  comparableCode,
  MAX_PASSKEYS,
  type NamedPasskey,
  type Passkey,
  PasskeyName,
  randomRecoveryCode,
  RECOVERY_CODES,
} from './passkey.model.js';
import * as store from './passkey.repository.js';
import { actorIn, recordOfUser } from './user.service.js';

export { deleteEndedCodes } from './one-time-code.repository.js';
export { findPasskey, selectPasskeys } from './passkey.repository.js';

/** A random challenge to a user; to those who sign in by a passkey alone if it is null. */
export async function newChallenge(
  work: SystemWriteWork,
  userId: number | null,
  kind: 'create' | 'get',
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  work.requireRoom();
  await saveCodes(work, { userId, kind }, [challenge]);
  return challenge;
}

/**
 * Adds a passkey to the account of a user, to whom its challenge was. Undefined if that has ended. Errors: `invalid`,
 * `taken`.
 */
export async function addPasskey(
  work: SystemWriteWork,
  userId: number,
  { challenge, ...given }: Credential & Signed & { readonly name: string },
) {
  if ((await takeCode(work, 'create', challenge, userId)) === undefined) return undefined;
  const present = await store.selectPasskeys(work, userId);
  if (present.length >= MAX_PASSKEYS) {
    throw invalidRecord('A user has at most {maximum} passkeys: remove one first.', {
      maximum: MAX_PASSKEYS,
    });
  }
  if ((await store.findPasskey(work, given.credentialId)) !== undefined) {
    throw taken('passkey', 'This passkey has been added already.');
  }
  const passkey = await store.insertPasskey(work, { ...given, userId });
  await record(work, userId, [null, shown(passkey)], userId);
  return { passkey, recoveryCodes: present.length === 0 ? await newRecoveryCodes(work, userId) : null };
}

/** Uses up the challenge that a passkey has signed, to its user, or to those who sign in by it alone. False if that is not valid any more. */
export async function usePasskey(
  work: SystemWriteWork,
  { credentialId }: Passkey,
  { challenge, counter }: Signed,
  challengeOf: number | null,
): Promise<boolean> {
  if ((await takeCode(work, 'get', challenge, challengeOf)) === undefined) return false;
  // The passkey may have been removed or used meanwhile. A counter that stands still is that of a copy.
  const present = await store.findPasskey(work, credentialId);
  if (present === undefined || (present.counter > 0 && counter <= present.counter)) return false;
  await store.updatePasskey(work, present.id, { counter, lastUsedAt: work.now });
  return true;
}

/** Renames a passkey of the caller. Errors: `invalid`, `not_found`, `forbidden`. */
export async function renamePasskey(work: WriteWork, id: number, input: unknown): Promise<NamedPasskey> {
  const { userId } = work.caller;
  requireSession(work.caller);
  const { name } = parse(PasskeyName, input);
  return await work.acrossCompanies(async (above) => {
    const passkey = (await store.selectPasskeys(above, userId)).find((each) => each.id === id);
    if (passkey === undefined) throw notFound('passkey');
    if (name === passkey.name) return passkey;
    await store.updatePasskey(above, id, { name });
    await record(above, userId, [shown(passkey), { id, name }], userId);
    return { ...passkey, name };
  });
}

/**
 * Removes one or all passkeys of a user; with the last one, the recovery codes. `by` is the acting user, see `actorIn`.
 * Errors: `not_found`.
 */
export async function removePasskeys(
  work: SystemWriteWork,
  userId: number,
  by?: number,
  id?: number,
): Promise<readonly Passkey[]> {
  const all = await store.selectPasskeys(work, userId);
  const removed = all.filter((passkey) => id === undefined || passkey.id === id);
  if (id !== undefined && removed.length === 0) throw notFound('passkey');
  for (const passkey of removed) {
    await store.deletePasskey(work, passkey.id);
    await record(work, userId, [shown(passkey), null], by);
  }
  if (removed.length === all.length) await deleteCodes(work, userId, 'recovery');
  return removed;
}

export const countRecoveryCodes = async (work: SystemReadWork, userId: number): Promise<number> =>
  (await selectCodes(work, userId, 'recovery')).length;

/** Uses up a recovery code. False if the user has none like it. */
export async function useRecoveryCode(work: SystemWriteWork, userId: number, code: string): Promise<boolean> {
  if ((await takeCode(work, 'recovery', comparableCode(code), userId)) === undefined) return false;
  const recoveryCodesLeft = await countRecoveryCodes(work, userId);
  const before = { recoveryCodesLeft: recoveryCodesLeft + 1 };
  await record(work, userId, [before, { recoveryCodesLeft }], userId);
  return true;
}

/** Makes recovery codes, of which only hashes are stored; earlier ones end. Errors: `invalid` without a passkey. */
export async function newRecoveryCodes(work: SystemWriteWork, userId: number): Promise<readonly string[]> {
  if ((await store.selectPasskeys(work, userId)).length === 0) {
    throw invalidRecord('Recovery codes stand in for a passkey: add one first.');
  }
  const codes = Array.from({ length: RECOVERY_CODES }, randomRecoveryCode);
  const before = { recoveryCodesLeft: await deleteCodes(work, userId, 'recovery') };
  await saveCodes(work, { userId, kind: 'recovery' }, codes.map(comparableCode));
  await record(work, userId, [before, { recoveryCodesLeft: codes.length }], userId);
  return codes;
}

const shown = ({ id, name }: NamedPasskey) => ({ id, name });

async function record(
  work: SystemWriteWork,
  userId: number,
  [before, after]: readonly [object | null, object | null],
  by?: number,
): Promise<void> {
  const action = before === null ? 'create' : after === null ? 'delete' : 'update';
  const change = { action, entityType: 'passkey', before, after } as const;
  await recordOfUser(work, userId, change, actorIn(work, userId, by));
}
