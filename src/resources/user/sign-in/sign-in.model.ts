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

/** Number of successive failed sign-ins, and the lock that follows from it. */
export interface SignInState {
  readonly failedSignIns: number;
  readonly lockedUntil: Date | null;
}

/** The result of signing in, for each company of the user. */
export interface CompanyToken {
  readonly companyId: number;
  readonly companyName: string;
  readonly token: string;
}
