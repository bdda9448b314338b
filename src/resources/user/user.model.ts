import { z } from 'zod';

import { ROLES, type Role } from '../../platform/caller.js';
import { normalized, printableName } from '../../platform/text.js';

/** E-mail addresses are kept and compared in lower case. */
export const emailAddress = z
  .email('must be an e-mail address')
  .max(254)
  .transform((email) => normalized(email).toLowerCase());

export const timeZone = z
  .string()
  .refine((zone) => isTimeZone(zone), 'must be an IANA time zone, for instance America/Sao_Paulo');

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const UserAdd = z.object({
  email: emailAddress,
  name: printableName(255),
  role: z.enum(ROLES),
  timeZone: timeZone.default('UTC'),
});

export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly timeZone: string;
  readonly signInCount: number;
  readonly lastSignInAt: Date | null;
  readonly lastSignInIp: string | null;
  readonly disabledAt: Date | null;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Membership {
  readonly companyId: number;
  readonly userId: number;
  readonly role: Role;
}
