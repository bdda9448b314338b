import { z } from 'zod';

import { freeText } from '../../../platform/encoding/text.js';
import { MAX_EMAIL, MAX_PASSWORD } from '../user.model.js';

/** Percent-encoding turns one character into up to three (contract 25). */
const PERCENT_ENCODED = 3;

export const SignInInput = z.object({
  email: freeText(MAX_EMAIL * PERCENT_ENCODED).describe('E-mail address, in any letter case.'),
  password: freeText(MAX_PASSWORD * PERCENT_ENCODED).describe(
    `At most ${MAX_PASSWORD} characters, percent-encoding aside.`,
  ),
});

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Wrong passwords for an account. */
export interface SignInState {
  /** From networks that were new to the account, in the day that began at `failedSince`. */
  readonly failedSignIns: number;
  readonly failedSince: Date | null;
  /** The end of the latest lock, for whichever networks. May be in the past. */
  readonly lockedUntil: Date | null;
}

/** What an account has to do with a network. */
export interface SignInNetwork {
  /** Null for a network that is new to the account: no sign-in from there has succeeded. */
  readonly signedInAt: Date | null;
  /** Wrong passwords in a row, from this network. */
  readonly failedSignIns: number;
  readonly lockedUntil: Date | null;
}

export const NEW_NETWORK: SignInNetwork = { signedInAt: null, failedSignIns: 0, lockedUntil: null };

/** The result of signing in, for each company of the user. */
export interface CompanyToken {
  readonly companyId: number;
  readonly companyName: string;
  readonly token: string;
}
