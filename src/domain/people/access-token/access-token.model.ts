import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

import { DAY } from '../../../platform/clock.js';
import { invalid } from '../../../platform/errors.js';
import { type Scope, SCOPES } from '../../../platform/requests.js';
import { rule } from '../../../platform/rules.js';
import { printableName } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const NamedTokenCreate = z.object({
  name: printableName(100),
  scopes: z.array(z.enum(SCOPES)).min(1, rule('must name at least one scope')),
  expiresAt: z.date().nullable().optional(),
});

export const NamedTokenUpdate = NamedTokenCreate.pick({ name: true });

/** Maximum days for which an old token works beside the new one. */
const MAX_KEPT_DAYS = 30;

/** The end of an old token that works for `keepOldFor` milliseconds more. Errors: `invalid` if that is too long. */
export function endOfOld(now: Date, keepOldFor: number, field = 'keepOldFor'): Date {
  if (keepOldFor > MAX_KEPT_DAYS * DAY)
    throw invalid(field, 'must be at most {maximum} days', { maximum: MAX_KEPT_DAYS });
  return new Date(now.getTime() + keepOldFor);
}

export type AccessToken = RecordOf<'access_tokens', TokenFields, 'token_hash' | 'nonce'>;

interface TokenFields {
  /** `derived`: created by the token endpoint. `named`: created by a user, and shown once. */
  readonly kind: 'derived' | 'named';
  readonly scopes: readonly Scope[];
}

/** `revoked` also if it has expired since. */
export type TokenState = 'valid' | 'revoked' | 'expired';

/** 160 bits as 40 lower-case hexadecimal characters. */
export const randomToken = (): string => randomBytes(20).toString('hex');

/** The database holds only this hash of a token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'latin1').digest('hex');
}

export type Member = Pick<AccessToken, 'companyId' | 'userId'>;

/** The token of a member: an HMAC of member and nonce, which can be computed only with the secret. */
export function deriveToken(secret: string, { companyId, userId }: Member, nonce: string): string {
  const hmac = createHmac('sha256', secret).update(`${companyId}:${userId}:${nonce}`);
  return hmac.digest('hex').slice(0, 40);
}
