import { z } from 'zod';

import { type Role, ROLES } from '../../../platform/requests.js';
import { type BrokenRule, rule } from '../../../platform/rules.js';
import {
  freeText,
  isStorable,
  normalized,
  printableName,
  refusedBy,
  TimeZone,
} from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const MAX_EMAIL = 254;
const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** E-mail addresses are stored and compared in lower case. */
const emailAddress = z.email(rule('must be an e-mail address')).max(MAX_EMAIL).transform(comparableEmail);

export function comparableEmail(email: string): string {
  return normalized(email).toLowerCase();
}

export const PasswordChoice = z.object({
  password: z.string().superRefine(refusedBy(brokenByPassword)),
});

function brokenByPassword(password: string): BrokenRule | undefined {
  const length = Array.from(password).length;
  if (length < MIN_PASSWORD)
    return rule('must have at least {minimum} characters', { minimum: MIN_PASSWORD });
  if (length > MAX_PASSWORD) return rule('must have at most {maximum} characters', { maximum: MAX_PASSWORD });
  return isStorable(password) ? undefined : rule('must not contain NUL or broken characters');
}

const fullName = printableName(255);

export const UserAdd = z.object({
  email: emailAddress,
  name: fullName,
  role: z.enum(ROLES),
  timeZone: TimeZone.default('UTC'),
});

export const UserUpdate = z
  .object({
    name: fullName.meta({ description: 'Full name.' }),
    timeZone: TimeZone.meta({ description: 'IANA time zone, for example America/Sao_Paulo.' }),
  })
  .partial();

export const RoleChoice = z.object({ role: z.enum(ROLES) });

export const HIDDEN_OF_USER = ['password_hash', 'failed_sign_ins', 'failed_since', 'preferences'] as const;

/** The account of a person, as the operator of the server sees it. Tokens stay valid while it is locked. */
export type User = RecordOf<'users', object, (typeof HIDDEN_OF_USER)[number]>;

/** A user with what signing in needs. */
export type Account = RecordOf<'users', object, 'preferences'>;

/**
 * A user as a member of one company. `id` and `email` belong to the account, all other fields to the
 * membership. Only the lock, and being disabled by the operator, apply to all companies of a user.
 */
export interface Member extends User {
  readonly role: Role;
  /** Time at which an administrator, or the operator of the server, disabled the member; null if enabled. */
  readonly disabledAt: Date | null;
  readonly isDisabledByOperator: boolean;
}

export interface Membership {
  readonly companyId: number;
  readonly userId: number;
  readonly role: Role;
  readonly name: string;
  readonly timeZone: string;
}

export type MembershipKey = Pick<Membership, 'companyId' | 'userId'>;

export interface Person {
  readonly user: User;
  readonly memberships: readonly CompanyMembership[];
}

export interface CompanyMembership extends Membership {
  readonly companyName: string;
  readonly disabledAt: Date | null;
}

/** Factor by which percent-encoding can lengthen a text (contract 25). */
const PERCENT_ENCODED = 3;

export const SignInInput = z.object({
  email: freeText(MAX_EMAIL * PERCENT_ENCODED).describe('E-mail address, in any letter case.'),
  password: freeText(MAX_PASSWORD * PERCENT_ENCODED).describe(
    `At most ${MAX_PASSWORD} characters, percent-encoding aside.`,
  ),
});

export type Credentials = Readonly<z.output<typeof SignInInput>>;

export type SignInState = Pick<Account, 'failedSignIns' | 'failedSince' | 'lockedUntil'>;

/** A network as an account knows it; `signedInAt` is null if it is new to the account. */
export type SignInNetwork = Pick<
  RecordOf<'sign_in_networks'>,
  'signedInAt' | 'failedSignIns' | 'lockedUntil'
>;

export interface Attempted {
  readonly account: SignInState;
  readonly network: SignInNetwork;
}

export const NEW_NETWORK: SignInNetwork = { signedInAt: null, failedSignIns: 0, lockedUntil: null };

export const EmailChoice = z.object({ email: emailAddress });
