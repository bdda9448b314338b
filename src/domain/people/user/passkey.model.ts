import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import { jsonObject } from '../../../platform/encoding/json.js';
import { rule } from '../../../platform/rules.js';
import { freeText, printableName } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';
import { MAX_PASSWORD } from './user.model.js';

export const MAX_PASSKEYS = 20;
export const RECOVERY_CODES = 10;

/** A public key of an authenticator of a user. */
export type Passkey = RecordOf<'passkeys', object, never>;

/** A passkey as its user sees it. */
export type NamedPasskey = Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

/** A response of `navigator.credentials` as JSON. */
const passkey = jsonObject(16 * 1024);

export const PasskeyName = z.object({ name: printableName(64) });
export const PasskeyAdd = PasskeyName.extend({ passkey });
export const PasskeySignIn = z.object({ passkey });

const shown = z
  .object({
    password: freeText(MAX_PASSWORD).nullish(),
    passkey: passkey.nullish(),
    recoveryCode: freeText(100).nullish(),
  })
  .refine(
    (given) => Object.values(given).filter((value) => value != null).length === 1,
    rule('must have exactly one of {choices}', { choices: 'its fields' }),
  );

/** Proof that the caller is there, to change the account: the password or a passkey. */
export const Confirmation = z.object({ confirmation: shown });
/** Proof besides the password to sign in: a passkey or a recovery code. */
export const SecondFactor = z.object({ secondFactor: shown });

/** 80 bits, for example `3f9a1-c04be-77d20-9e8f1`. */
export function randomRecoveryCode(): string {
  const code = randomBytes(10).toString('hex');
  return code.replace(/.{5}(?!$)/g, '$&-');
}

/** A recovery code as it is hashed, whatever its case, dashes and spaces. */
export const comparableCode = (code: string): string => code.toLowerCase().replace(/[^0-9a-f]/g, '');
