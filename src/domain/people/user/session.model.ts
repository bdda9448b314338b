import { z } from 'zod';

import { DAY, HOUR } from '../../../platform/clock.js';
import { jsonObject } from '../../../platform/encoding/json.js';
import type { Caller } from '../../../platform/requests.js';
import type { RecordOf } from '../../../schema/schema.js';

/** A session ends after this time without a request, and after this time in all. */
const IDLE_MS = 12 * HOUR;
export const SESSION_MS = 7 * DAY;
/** Sessions of one user; a further sign-in ends the one that was not used for the longest time. */
export const MAX_SESSIONS = 20;
const MAX_PREFERENCES = 16 * 1024;

/** A sign-in of a person to the console; `companyId` is the company that the user works in now. */
export type Session = RecordOf<'sessions', object, 'token_hash'>;

export interface SignedIn {
  readonly caller: Caller;
  /** Text of the session's cookie, of which only a hash is stored. */
  readonly cookie: string;
}

/** Nothing was signed in: a passkey or a recovery code is needed besides the password. */
export interface SecondFactorNeeded {
  /** Options of `navigator.credentials.get`; null if the sign-in has to begin anew. */
  readonly secondFactor: object | null;
}

export function hasEnded({ createdAt, lastUsedAt }: Session, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= SESSION_MS || now.getTime() - lastUsedAt.getTime() >= IDLE_MS;
}

export const Preferences = z.object({ preferences: jsonObject(MAX_PREFERENCES) });
