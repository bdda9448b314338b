import { createHmac } from 'node:crypto';

import { DERIVED_TOKEN_LAPSES_MS, type AccessToken } from './access-token.model.js';

/** Whether a token has reached its expiry date or, if derived, was not used for `DERIVED_TOKEN_LAPSES_MS`. */
export function hasLapsed(token: AccessToken, now: Date): boolean {
  if (token.expiresAt !== null && token.expiresAt <= now) return true;
  const used = token.lastUsedAt ?? token.createdAt;
  return token.kind === 'derived' && now.getTime() - used.getTime() > DERIVED_TOKEN_LAPSES_MS;
}

export interface Member {
  readonly companyId: number;
  readonly userId: number;
}

const TOKEN_CHARACTERS = 40;

/** The token of a member: an HMAC of member and nonce, which can be computed only with the secret. */
export function deriveToken(secret: string, { companyId, userId }: Member, nonce: string): string {
  return createHmac('sha256', secret)
    .update(`${companyId}:${userId}:${nonce}`)
    .digest('hex')
    .slice(0, TOKEN_CHARACTERS);
}
