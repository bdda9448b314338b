import { createHmac } from 'node:crypto';

import { DERIVED_TOKEN_LAPSES_MS, type AccessToken } from './access-token.model.js';

/** Whether a token ended by itself: at its date of expiry, or, if derived, by not being used. */
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

/** The same token for the same member and nonce, for whoever has the secret and for nobody else. */
export function deriveToken(secret: string, { companyId, userId }: Member, nonce: string): string {
  return createHmac('sha256', secret)
    .update(`${companyId}:${userId}:${nonce}`)
    .digest('hex')
    .slice(0, TOKEN_CHARACTERS);
}
