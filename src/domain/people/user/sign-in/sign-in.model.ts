import { z } from 'zod';

import { freeText } from '../../../../platform/encoding/text.js';
import { MAX_EMAIL, MAX_PASSWORD } from '../user.model.js';

/** Factor by which percent-encoding can lengthen a text (contract 25). */
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

/** Wrong passwords of an account. */
export interface SignInState {
  /** Wrong passwords from networks that are new to the account, in the day that began at `failedSince`. */
  readonly failedSignIns: number;
  readonly failedSince: Date | null;
  /** End of the latest lock, for any network; may be in the past. */
  readonly lockedUntil: Date | null;
}

/** Sign-ins to an account from a network. */
export interface SignInNetwork {
  /** Latest successful sign-in; null if the network is new to the account. */
  readonly signedInAt: Date | null;
  /** Consecutive wrong passwords from this network. */
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
