import { z } from 'zod';

import { ROLES, type Role } from '../../../platform/caller.js';
import { isStorable, normalized, printableName } from '../../../platform/encoding/text.js';
import { TimeZone } from '../../../platform/time-zones.js';

export const MAX_EMAIL = 254;
const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** E-mail addresses are stored and compared in lower case. */
const emailAddress = z.email('must be an e-mail address').max(MAX_EMAIL).transform(comparableEmail);

export function comparableEmail(email: string): string {
  return normalized(email).toLowerCase();
}

export const PasswordChoice = z.object({
  password: z.string().superRefine((password, context) => {
    const problem = problemOfPassword(password);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  }),
});

function problemOfPassword(password: string): string | undefined {
  const length = Array.from(password).length;
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`;
  if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`;
  return isStorable(password) ? undefined : 'must not contain NUL or broken characters';
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

/** The account of a person, as the operator of the server sees it. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly timeZone: string;
  readonly signInCount: number;
  readonly lastSignInAt: Date | null;
  readonly lastSignInIp: string | null;
  readonly disabledAt: Date | null;
  /** Until this time no password is accepted. Existing tokens stay valid. */
  readonly lockedUntil: Date | null;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * A user as a member of one company. `id` and `email` belong to the account, all other fields to the
 * membership. Only the lock, and being disabled by the operator, apply to all companies of a user.
 */
export interface Member {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly timeZone: string;
  readonly role: Role;
  /** Since the user is a member. */
  readonly signInCount: number;
  readonly lastSignInAt: Date | null;
  readonly lastSignInIp: string | null;
  /** Time at which an administrator, or the operator of the server, disabled the member; null if enabled. */
  readonly disabledAt: Date | null;
  readonly isDisabledByOperator: boolean;
  readonly lockedUntil: Date | null;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Membership {
  readonly companyId: number;
  readonly userId: number;
  readonly role: Role;
  readonly name: string;
  readonly timeZone: string;
}

/** A user with all memberships, for the operator of the server. */
export interface Person {
  readonly user: User;
  readonly memberships: readonly CompanyMembership[];
}

export interface CompanyMembership extends Membership {
  readonly companyName: string;
  readonly disabledAt: Date | null;
}
